# Computes the verdicts of a results folder once more, from manifest.json and the
# raw files, and compares them with a report.json:
#
#   Rscript recompute.R FOLDER [REPORT [TEST]]
#
# REPORT is FOLDER/report.json unless it is given; TEST is what --test asked for. It
# prints every difference, and ends with exit status 1 where there are any.
#
# Written from docs/dev/statistics.md and docs/dev/results-folder.md, with R's own
# distributions wherever there are no ties. Methods default, ci and margin;
# tests auto, signedrank and ranksum.

library(jsonlite)

args <- commandArgs(trailingOnly = TRUE)
folder <- args[1]
report <- fromJSON(if (length(args) > 1) args[2] else file.path(folder, "report.json"), simplifyVector = FALSE)
asked <- if (length(args) > 2) args[3] else "auto"
manifest <- fromJSON(file.path(folder, "manifest.json"), simplifyVector = FALSE)
stopifnot(report$method %in% c("default", "ci", "margin"), asked %in% c("auto", "signedrank", "ranksum"))
delta <- report$min_slowdown

# ---- From samples to run medians ----

plan <- manifest$plan
np_name <- function(shape) if (is.null(shape$nodes)) paste0("p", shape$np) else stop("shapes with nodes are not read")
shape_of <- vapply(plan$cases, function(k) np_name(k$shape), "")
size_of <- vapply(plan$cases, function(k) k$msize, 0)

# measured is what one case has by mpirun.
measured <- function(runs) list(median = rep(NA_real_, runs), total = rep(0, runs), invalid = rep(0, runs), runs = 0, status = "ok")
stage <- function(mode, planned) {
  stopped <- manifest$stopped[[mode]]
  if (is.null(stopped)) planned else min(stopped, planned)
}
R <- stage("run", manifest$mpiruns)
split <- manifest[["split"]] # $ would take split_experiment for it
R2 <- if (is.null(split)) 0 else stage("split", split$mpiruns)
cases <- lapply(plan$cases, function(k) measured(R))
for (i in names(manifest$skip)) cases[[as.integer(i) + 1]]$status <- manifest$skip[[i]]$status
follow <- list() # of the split experiment, by "case calls"
tick <- manifest$rank$clock_tick_ns

run_median <- function(ns) {
  q <- quantile(ns, c(.25, .75), type = 7, names = FALSE)
  reach <- 1.5 * (q[2] - q[1])
  median(ns[ns >= q[1] - reach & ns <= q[2] + reach])
}

take <- function(case, run, info, ns, flags) {
  case$runs <- case$runs + 1
  if (info$status == "wrong" || case$status == "ok") case$status <- info$status
  if (info$status != "ok") return(case)
  case$total[run] <- length(ns)
  case$invalid[run] <- sum(flags != 0)
  if (any(flags == 0)) case$median[run] <- run_median(ns[flags == 0])
  case
}

for (file in sort(list.files(file.path(folder, "raw"), "^(run|split)-.*[.]tsv[.]gz$", full.names = TRUE))) {
  opened <- gzfile(file)
  lines <- readLines(opened)
  close(opened)
  header <- fromJSON(sub("^#", "", lines[1]), simplifyVector = FALSE)
  rows <- scan(text = lines[-c(1, length(lines))], what = list(0, 0, 0, 0), sep = "\t", quiet = TRUE)
  tick <- max(tick, header$rank$clock_tick_ns)
  for (info in header$cases) {
    mine <- rows[[1]] == info$case
    if (header$mode == "run") {
      cases[[info$plan + 1]] <- take(cases[[info$plan + 1]], header$run, info, rows[[3]][mine], rows[[4]][mine])
    } else {
      key <- paste(info$plan, max(1, info$calls))
      if (is.null(follow[[key]])) follow[[key]] <- measured(R2)
      follow[[key]] <- take(follow[[key]], header$run, info, rows[[3]][mine], rows[[4]][mine])
    }
  }
}

# valid: a median in each of the first r mpiruns, and no more than 25 % invalid samples.
valid <- function(case, r) {
  !anyNA(case$median[1:r]) && sum(case$invalid[1:r]) <= .25 * sum(case$total[1:r])
}
median_of <- function(case, r) if (case$status == "ok") median(case$median[1:r], na.rm = TRUE) else NA_real_

# ---- What an mpirun does to all its cases ----

general <- function(shape, r) {
  usable <- Filter(function(k) k$status == "ok" && valid(k, r), cases[shape_of == shape])
  if (length(usable) < 20) return(rep(1, r))
  relative <- vapply(usable, function(k) log(k$median[1:r] / median(k$median[1:r])), numeric(r))
  exp(apply(matrix(relative, nrow = r), 1, median))
}

# ---- Tests ----

ties <- function(v) { t <- as.vector(table(v)); sum(t^3 - t) }
normal_tail <- function(deviation, variance) if (variance > 0) pnorm((deviation - .5) / sqrt(variance), lower.tail = FALSE) else 1
differences <- function(x, y) round(log(x) - log(y), 12)

signed_rank <- function(x, y, capped = FALSE) {
  d <- differences(x, y)
  d <- d[d != 0]
  n <- length(d)
  scores <- rank(abs(d))
  if (capped) scores <- pmin(scores, max(1, floor(2 * n / 3)) / 2)
  V <- sum(scores[d > 0])
  if (n > 200) return(normal_tail(V - sum(scores) / 2, sum(scores^2) / 4))
  if (!capped && !anyDuplicated(abs(d))) return(psignrank(V - 1, n, lower.tail = FALSE))
  counts <- 1 # of the signs, by twice their sum
  for (r in 2 * scores) counts <- c(counts, rep(0, r)) + c(rep(0, r), counts)
  sum(rev(counts[(2 * V + 1):length(counts)])) / 2^n
}

rank_sum <- function(x, y) {
  m <- length(x)
  n <- length(y)
  pooled <- c(x, y)
  ranks <- rank(pooled)
  U <- sum(ranks[1:m]) - m * (m + 1) / 2
  N <- m + n
  if (max(m, n) > 50) return(normal_tail(U - m * n / 2, m * n / 12 * ((N + 1) - ties(pooled) / (N * (N - 1)))))
  if (!anyDuplicated(pooled)) return(pwilcox(U - 1, m, n, lower.tail = FALSE))
  r <- 2 * ranks
  counts <- matrix(0, m + 1, sum(r) + 1) # of the choices, by their number and twice their sum
  counts[1, 1] <- 1
  for (v in r) for (k in (m + 1):2) {
    counts[k, (v + 1):ncol(counts)] <- counts[k, (v + 1):ncol(counts)] + counts[k - 1, 1:(ncol(counts) - v)]
  }
  sum(rev(counts[m + 1, (sum(r[1:m]) + 1):ncol(counts)])) / choose(N, m)
}

effect <- function(sorted, q) {
  q <- max(1, q)
  exp(c(median(sorted), sorted[q], sorted[length(sorted) + 1 - q]))
}
normal_q <- function(mean, variance) max(0, ceiling(mean - .5 + qnorm(.025) * sqrt(variance)))

tests <- list(
  signedrank = list(
    p = signed_rank,
    least = function(r) 2^-r,
    effect = function(x, y) {
      d <- log(x) - log(y)
      n <- length(d)
      averages <- outer(d, d, "+") / 2
      effect(sort(averages[lower.tri(averages, diag = TRUE)]),
        if (n > 200) normal_q(n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24) else qsignrank(.025, n))
    }),
  ranksum = list(
    p = rank_sum,
    least = function(r) if (r > 50) normal_tail(r^2 / 2, r^2 / 12 * (2 * r + 1)) else 1 / choose(2 * r, r),
    effect = function(x, y) {
      n <- length(x)
      effect(sort(outer(log(x), log(y), "-")), if (n > 50) normal_q(n^2 / 2, n^2 * (2 * n + 1) / 12) else qwilcox(.025, n, n))
    }))

tests$cappedrank <- modifyList(tests$signedrank, list(p = function(x, y) signed_rank(x, y, capped = TRUE)))

# ---- Procedure and looks ----

stars <- function(p) if (p <= .001) "***" else if (p <= .01) "**" else if (p <= .05) "*" else ""

# judge judges m tests at the looks with weights w. pairs(r) gives by test what the first
# r mpiruns have: x, y and the mpiruns' factor; NULL where there is nothing to test.
judge <- function(m, alpha, looks, w, pairs) {
  lone <- if (report$adjust == "none") alpha else alpha / m
  choose_test <- function(r) {
    for (name in if (asked == "auto") c("cappedrank", "ranksum") else asked) {
      if (tests[[name]]$least(r) <= lone) return(list(name = name, weak = FALSE))
    }
    list(name = name, weak = TRUE)
  }
  at <- lapply(looks, choose_test)
  last <- length(looks)
  screen <- rep(FALSE, last)
  if (asked == "auto" && at[[last]]$name == "cappedrank" && !at[[last]]$weak) {
    screen <- seq_along(looks) < last & 2^-looks > lone / 8
    at[screen] <- list(list(name = "cappedrank", weak = FALSE))
  }
  v <- ifelse(screen, 0, w * sum(w) / sum(w[!screen]))
  least <- mapply(function(l, r) tests[[l$name]]$least(r), at, looks)
  refused <- all(screen | least > lone * v)
  out <- replicate(m, list(runs = 0, decided = FALSE, stopped = FALSE), simplify = FALSE)
  P <- rep(1, m)
  for (k in seq_along(looks)) {
    test <- tests[[at[[k]]$name]]
    given <- pairs(looks[k])
    if (all(vapply(given, is.null, NA))) break
    fresh <- Filter(function(i) !is.null(given[[i]]) && !out[[i]]$decided && !out[[i]]$stopped, seq_len(m))
    for (i in fresh) {
      x <- given[[i]]$x
      y <- given[[i]]$y
      o <- list(runs = looks[k], decided = FALSE, stopped = FALSE, k = k, x = x, y = y)
      o$visible <- abs(median(x - y)) >= 1.5 * tick
      if (at[[k]]$name == "ranksum") {
        x <- x / given[[i]]$factor
        y <- y / given[[i]]$factor
      }
      o$own <- min(1, test$p(x, if (report$method == "margin") y * delta else y))
      o$p_kept <- min(1, test$p(y * delta, x))
      e <- test$effect(x, y)
      o$ratio <- e[1]
      o$ratio_lo95 <- e[2]
      o$ratio_hi95 <- e[3]
      if (!screen[k]) P[i] <- min(P[i], o$own / v[k])
      out[[i]] <- o
    }
    adjusted <- p.adjust(P, c(bh = "BH", holm = "holm", none = "none")[[report$adjust]])
    for (i in seq_len(m)) {
      o <- out[[i]]
      if (o$runs == 0) next
      o$p_value <- if (screen[o$k]) o$own else P[i]
      if (!o$decided) {
        o$p_adjusted <- adjusted[i]
        o$stars <- stars(adjusted[i])
      }
      out[[i]] <- o
    }
    for (i in fresh) {
      o <- out[[i]]
      significant <- o$p_adjusted <= alpha
      o$verdict <- if (refused || at[[k]]$weak) "undecided"
        else if (significant && o$ratio >= delta && o$visible) "violated"
        else if (significant) "marginal"
        else if (o$p_kept <= alpha * w[k]) "kept"
        else "undecided"
      o$decided <- o$verdict != "undecided"
      if (k < last && !refused) {
        if (significant && o$ratio_lo95 < delta && delta < o$ratio_hi95) {
          o$verdict <- "undecided"
          o$decided <- FALSE
        } else if (!o$decided) {
          o$stopped <- !significant && !(o$ratio >= delta || o$own <= .2 && o$ratio >= 1.02)
        }
      }
      out[[i]] <- o
    }
  }

  # Would a repeat show it? The largest p-value that is rejected here, by what was rejected.
  rejections <- sum(vapply(out, function(o) o$runs > 0 && o$p_adjusted <= alpha, NA))
  level <- c(bh = alpha * rejections / m, holm = alpha / (m - rejections + 1), none = alpha)[[report$adjust]]
  for (i in seq_len(m)) {
    o <- out[[i]]
    if (o$runs == 0 || o$verdict != "violated" || !at[[o$k]]$name %in% c("cappedrank", "signedrank")) next
    se <- (log(o$ratio_hi95) - log(o$ratio_lo95)) / (2 * 1.959964)
    z <- qnorm(level * v[o$k], lower.tail = FALSE)
    out[[i]]$replication <- pnorm((log(o$ratio) - max(log(delta), z * se)) / sqrt(2 * (se^2 + 0.03^2)))
  }
  list(outcomes = out, test = at[[last]]$name, least = least[last], refused = refused)
}

# ---- Comparing with the report ----

wrong <- 0
differ <- function(what, mine, theirs) {
  if (is.null(mine) || length(mine) == 0 || is.na(mine)) mine <- NULL
  same <- if (is.null(mine) || is.null(theirs)) is.null(mine) && is.null(theirs)
    else if (is.numeric(mine)) abs(mine - theirs) <= 1e-9 * max(abs(mine), abs(theirs))
    else identical(mine, theirs)
  if (!same) {
    wrong <<- wrong + 1
    cat(sprintf("%s: %s here, %s in the report\n", what, format(c(mine, "null")[1], digits = 15), format(c(theirs, "null")[[1]], digits = 15)))
  }
}
numbers <- c("p_value", "p_adjusted", "p_kept", "ratio", "ratio_lo95", "ratio_hi95", "replication")
name_of <- function(v) sprintf("%s %s at %g on %s", v$guideline, v$`function`, v$msize, v$shape)
same_test <- function(v, o) for (field in c(numbers, "stars", "verdict", "runs")) differ(paste(name_of(v), field), o[[field]], v[[field]])

# ---- Monotony and patterns ----

split_family <- isTRUE(manifest$split_experiment) || !is.null(split)
alpha1 <- if (split_family) report$alpha * 4 / 5 else report$alpha
alpha2 <- report$alpha / 5
status_of <- function(t) {
  s <- vapply(c(t$case, t$others), function(i) cases[[i + 1]]$status, "")
  if ("wrong" %in% s) "wrong" else if ("not_measured" %in% s) "not_measured" else "ok"
}
is_split <- vapply(plan$tests, function(t) t$type == "split", NA)
family <- Filter(function(i) !is_split[i] && status_of(plan$tests[[i]]) != "not_measured", seq_along(plan$tests))

looks <- unlist(manifest$looks)
w <- unlist(manifest$look_weights)
if (is.null(looks)) {
  looks <- R
  w <- 1
} else { # R may be less than was planned, by max_time
  w <- c(w[looks < R], sum(w[looks >= R]))
  looks <- c(looks[looks < R], R)
}

found <- judge(length(family), alpha1, looks, w, function(r) {
  factors <- sapply(unique(shape_of), general, r = r, simplify = FALSE)
  lapply(family, function(i) {
    t <- plan$tests[[i]]
    x <- cases[[t$case + 1]]
    y <- cases[[t$others[[1]] + 1]]
    if (status_of(t) != "ok" || min(x$runs, y$runs) < r || !valid(x, r) || !valid(y, r)) return(NULL)
    list(x = x$median[1:r], y = y$median[1:r], factor = factors[[np_name(t$shape)]])
  })
})

rho <- c()
tied <- 0
zeros <- 0
for (n in seq_along(family)) {
  v <- report$verdicts[[family[n]]]
  t <- plan$tests[[family[n]]]
  o <- found$outcomes[[n]]
  sides <- cases[c(t$case, t$others[[1]]) + 1]
  reached <- max(looks[1], looks[looks <= min(sides[[1]]$runs, sides[[2]]$runs)])
  if (status_of(t) != "ok") {
    same_test(v, list(stars = "", verdict = status_of(t), runs = 0))
  } else if (!o$decided && !o$stopped && !(valid(sides[[1]], reached) && valid(sides[[2]], reached))) {
    same_test(v, list(stars = "", verdict = "undecided", runs = 0))
  } else {
    if (found$refused) o$stars <- ""
    same_test(v, o)
    differ(paste(name_of(v), "median_s"), median(o$x) / 1e9, v$median_s)
    differ(paste(name_of(v), "other_median_s"), median(o$y) / 1e9, v$other_median_s)
    if (length(unique(o$x)) > 1 && length(unique(o$y)) > 1) rho <- c(rho, cor(log(o$x), log(o$y)))
    against <- if (report$method == "margin") o$y * delta else o$y
    tied <- tied + (anyDuplicated(c(o$x, against)) > 0)
    if (found$test %in% c("cappedrank", "signedrank")) zeros <- zeros + sum(differences(o$x, against) == 0)
  }
}
differ("m", length(family), report$m)
differ("alpha_family", alpha1, report$alpha_family)
differ("test", if (found$test == "ranksum" && R > 50) "ranksum_normal" else found$test, report$test)
differ("p_min", found$least, report$p_min)
differ("rho", median(rho), report$rho)
differ("tied_tests", tied, report$tied_tests)
differ("zero_differences", zeros, report$zero_differences)
differ("clock_tick_s", tick / 1e9, report$clock_tick_s)

# ---- Split-robustness ----

followed <- split$follow_ups
tested <- if (length(followed) > 0) judge(length(followed), alpha2, R2, 1, function(r) lapply(followed, function(f) {
  x <- follow[[paste(f$case, 1)]]
  y <- follow[[paste(f$part, f$calls)]]
  if (is.null(x) || is.null(y) || x$status != "ok" || y$status != "ok" || !valid(x, r) || !valid(y, r)) return(NULL)
  list(x = x$median, y = y$median, factor = 1)
}))
if (!is.null(tested)) {
  differ("split_experiment.m", length(followed), report$split_experiment$m)
  differ("split_experiment.r", R2, report$split_experiment$r)
  differ("split_experiment.alpha", alpha2, report$split_experiment$alpha)
  differ("split_experiment.test", tested$test, report$split_experiment$test)
  differ("split_experiment.p_min", tested$least, report$split_experiment$p_min)
}

for (i in which(is_split)) {
  t <- plan$tests[[i]]
  v <- report$verdicts[[i]]
  parts <- Filter(function(p) cases[[p + 1]]$status == "ok" && size_of[p + 1] > 0, unlist(t$others))
  if (cases[[t$case + 1]]$status != "ok" || length(parts) == 0) next
  whole <- median_of(cases[[t$case + 1]], looks[1])
  k <- ceiling(t$msize / size_of[parts + 1])
  part <- vapply(parts, function(p) median_of(cases[[p + 1]], looks[1]), 0)
  ratio <- whole / (k * part)
  suspect <- whole > (1 + report$split_tolerance) * k * part
  # about gives the verdict from medians about the n-th part.
  about <- function(n, verdict) {
    same_test(v, list(ratio = ratio[n], stars = "", verdict = verdict, runs = 0))
    differ(paste(name_of(v), "k"), k[n], v$k)
    differ(paste(name_of(v), "other_median_s"), part[n] / 1e9, v$other_median_s)
  }
  f <- Position(function(f) f$test == i - 1, followed)
  o <- if (is.na(f) || tested$refused) NULL else tested$outcomes[[f]]
  if (is.null(o) || o$runs == 0) {
    if (any(suspect)) about(which(suspect)[which.max(ratio[suspect])], "suspected") else about(length(parts), "not_suspected")
    next
  }
  rest <- which(suspect & parts != followed[[f]]$part)
  if (length(rest) > 0 && o$verdict != "violated") {
    about(rest[which.max(ratio[rest])], "suspected")
    next
  }
  same_test(v, o)
  differ(paste(name_of(v), "k"), followed[[f]]$calls, v$k)
  differ(paste(name_of(v), "median_s"), median(o$x) / 1e9, v$median_s)
  differ(paste(name_of(v), "other_median_s"), median(o$y) / followed[[f]]$calls / 1e9, v$other_median_s)
}

cat(sprintf("%s: %d tests, %d follow-ups, %d differences\n", basename(folder), length(family), length(followed), wrong))
quit(status = min(1, wrong))
