# Computes the verdicts of a results folder, how many mpiruns they need, and the verdicts by
# state of the machine (states as the report has them) once more, from manifest.json and the
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
is_message <- vapply(plan$cases, function(k) grepl("^MPI_(Ssend|Isend|Send|Send_init|Sendrecv)($|/)", k$`function`), NA)

# measured is what one case has by mpirun.
measured <- function(runs) list(median = rep(NA_real_, runs), total = rep(0, runs), invalid = rep(0, runs), runs = 0, status = "ok")
stage <- function(mode, planned) {
  stopped <- manifest$stopped[[mode]]
  if (is.null(stopped)) planned else min(stopped, planned)
}
R <- stage("run", manifest$mpiruns)
split <- manifest$follow_ups$split
if (is.null(split)) split <- manifest[["split"]] # of an older version; $ would take split_experiment for it
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
  of <- function(which) Filter(function(k) k$status == "ok" && valid(k, r), cases[shape_of == shape & which])
  usable <- of(!is_message)
  if (length(usable) < 20) usable <- c(usable, of(is_message))
  if (length(usable) < 20) return(rep(1, r))
  relative <- vapply(usable, function(k) log(k$median[1:r] / median(k$median[1:r])), numeric(r))
  exp(apply(matrix(relative, nrow = r), 1, median))
}

# ---- Tests ----

ties <- function(v) { t <- as.vector(table(v)); sum(t^3 - t) }
normal_tail <- function(deviation, variance) if (variance > 0) pnorm((deviation - .5) / sqrt(variance), lower.tail = FALSE) else 1
differences <- function(x, y) round(log(x) - log(y), 12)

# counts tells which sizes are not far from the others.
counts <- function(size) {
  near <- size <= 5 * median(size)
  if (4 * sum(!near) > length(size)) rep(TRUE, length(size)) else near
}

signed_rank <- function(x, y, capped = FALSE) signed_rank_of(differences(x, y), capped)
signed_rank_of <- function(d, capped) {
  d <- d[d != 0]
  n <- length(d)
  if (n == 0) return(1)
  scores <- rank(abs(d))
  if (capped) {
    near <- counts(abs(d))
    scores <- rep(0, n)
    scores[near] <- pmin(rank(abs(d[near])), max(1, floor(2 * sum(near) / 3)) / 2)
  }
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
normal_q <- function(mean, variance, level = .025) max(0, ceiling(mean - .5 + qnorm(level) * sqrt(variance)))

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

walsh <- function(d) {
  averages <- outer(d, d, "+") / 2
  sort(averages[lower.tri(averages, diag = TRUE)])
}
capped_centre <- function(d) median(walsh(d[counts(abs(d - median(d)))]))

# capped_limit is the lower limit of the centre of d.
capped_limit <- function(d, estimate) {
  averages <- unique(round(walsh(d), 12))
  at <- max(1, sum(averages < estimate + 1e-12))
  step <- 1 + length(averages) %/% 500
  rejects <- function(i) signed_rank_of(d - (averages[i] - 1e-10), TRUE) <= .025
  from <- at
  while (at > 1 && !rejects(at)) {
    from <- at - 1
    at <- max(1, at - step)
  }
  while (from > at && !rejects(from)) from <- from - 1
  averages[from]
}

tests$cappedrank <- modifyList(tests$signedrank, list(
  p = function(x, y) signed_rank(x, y, capped = TRUE),
  effect = function(x, y) {
    d <- differences(x, y)
    e <- capped_centre(d)
    exp(c(e, capped_limit(d, e), -capped_limit(-d, -e)))
  }))
tests$cappedrank$centre <- capped_centre
tests$signedrank$centre <- function(d) median(walsh(d))

# ---- Procedure and looks ----

tau <- report$between_checks$tau
too_near <- function(ratio) report$between_checks$source == "measured" && ratio > delta * exp(-tau)

# redrawn is the share of 100 drawings from the mpiruns that are violated.
redrawn <- function(test, x, y, level) {
  seed <- 1
  again <- 0
  r <- length(x)
  for (b in 1:100) {
    from <- numeric(r)
    for (j in 1:r) {
      seed <- (seed * 16807) %% 2147483647
      from[j] <- floor(seed * r / 2147483647) + 1
    }
    a <- x[from] * exp(sqrt(2) * tau * qnorm((b - .5) / 100))
    b <- y[from]
    found <- test$p(a, if (report$method == "margin") b * delta else b) <= level && abs(median(a - b)) >= 1.5 * tick
    if (found && test$centre(differences(a, b)) >= log(delta)) again <- again + 1
  }
  (again + .5) / 101
}

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
  if (at[[last]]$name != "ranksum") {
    screen <- seq_along(looks) < last & 2^-looks > lone / 8
    at[screen] <- list(list(name = at[[last]]$name, weak = FALSE))
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
      o <- list(runs = looks[k], decided = FALSE, stopped = FALSE, k = k, x = x, y = y, factor = given[[i]]$factor)
      o$visible <- abs(median(x - y)) >= 1.5 * tick
      o$hidden <- tick > 0 && median(y * delta - x) < 1.5 * tick
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
      o$verdict <- if (refused || at[[k]]$weak && significant) "undecided"
        else if (significant && o$ratio >= delta && o$visible) "violated"
        else if (significant) "marginal"
        else if (o$p_kept <= alpha * w[k] && !o$hidden && !too_near(o$ratio)) "kept"
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
    q <- pnorm((log(o$ratio) - max(log(delta), z * se)) / sqrt(2 * (se^2 + tau^2)))
    out[[i]]$replication <- if (q < .5) q else min(q, redrawn(tests[[at[[o$k]]$name]], o$x, o$y, level * v[o$k]))
  }
  list(outcomes = out, test = at[[last]]$name, least = least[last], refused = refused, weak = at[[last]]$weak, chosen = choose_test)
}

# ---- How many mpiruns would decide it? ----

scores <- function(n, capped) pmin(seq_len(n), if (capped) max(1, floor(2 * n / 3)) / 2 else n)
distributions <- list() # of V, by twice its value
quantile_v <- function(level, n, capped) {
  s <- scores(n, capped)
  if (n > 200) return(normal_q(sum(s) / 2, sum(s^2) / 4, level))
  key <- paste(n, capped)
  if (is.null(distributions[[key]])) {
    counts <- 1
    for (r in 2 * s) counts <- c(counts, rep(0, r)) + c(rep(0, r), counts)
    distributions[[key]] <<- cumsum(counts) / 2^n
  }
  sum(distributions[[key]] < level) / 2
}

# reach is the difference, in spreads of one mpirun, that n mpiruns find with an even chance.
reach <- function(name, n, level) {
  if (name == "ranksum") {
    q <- if (n > 50) normal_q(n^2 / 2, n^2 * (2 * n + 1) / 12, level) else qwilcox(level, n, n)
    return(sqrt(1 - 1 / n) * qnorm(min(1, (n^2 - q + .5) / n^2)))
  }
  lacks <- quantile_v(level, n, name == "cappedrank") - .5
  if (n < 3 || lacks <= 0) return(Inf)
  most <- max(scores(n, name == "cappedrank"))
  x <- seq(.025, 6, .05)
  low <- 0
  high <- 10
  for (i in 1:30) {
    d <- (low + high) / 2 / sqrt(1 - .5 / n)
    s <- pmin(1 + (n - 1) * (pnorm(x - d) - pnorm(-x - d)), most)
    share <- pnorm(-x + .025 - d) - pnorm(-x - .025 - d)
    mu <- n * sum(s * share)
    v <- n * (sum(s^2 * share) - sum(s * share)^2)
    if (v > 0 && pgamma(lacks, mu^2 / v, mu / v) < .5) low <- (low + high) / 2 else high <- (low + high) / 2
  }
  high
}

# needed gives by test how many mpiruns would decide it, and how many half of what is open.
needed <- function(found, m, alpha, R) {
  out <- found$outcomes
  open <- Filter(function(i) out[[i]]$runs > 0 && out[[i]]$verdict == "undecided" && (out[[i]]$stopped || out[[i]]$runs == R), seq_len(m))
  answer <- list(by = vector("list", m), half = NULL)
  if (found$refused || found$weak || length(open) == 0) return(answer)
  known <- Filter(function(i) out[[i]]$runs > 1, seq_len(m))
  n <- vapply(known, function(i) out[[i]]$runs, 0)
  level <- function(k) if (k >= m) alpha else c(bh = alpha * (k + 1) / m, holm = alpha / (m - k), none = alpha)[[report$adjust]]
  for_name <- ""
  spreads <- function(name, aligned) { # e, sigma and eta of the known tests
    paired <- name != "ranksum"
    w <- (if (paired) .6 else .35) / (n - 1)
    e <- vapply(known, function(i) {
      by <- if (aligned && !paired) out[[i]]$factor else 1
      tests[[name]]$effect(out[[i]]$x / by, out[[i]]$y / by)
    }, numeric(3))
    d <- vapply(n, function(n) {
      d <- reach(name, n, .025)
      if (is.finite(d)) d else qt(.975, n - 1) / sqrt(n)
    }, 0)
    sigma <- log(e[3, ] / e[2, ]) / 2 / d
    some <- sigma > 0
    L <- log(sigma[some])
    B <- max(0, (median(abs(L - median(L))) / .6745)^2 - mean(w[some]))
    sigma[some] <- exp(L + (median(L) - L) * w[some] / (w[some] + B))
    hidden <- vapply(seq_along(known), function(j) out[[known[j]]]$hidden || too_near(e[1, j]), NA)
    list(e = log(e[1, ]), hidden = hidden, sigma = sigma, eta = ifelse(some, sqrt(w * B / (w + B)), 0))
  }
  zero <- if (report$method == "margin") log(delta) else 0
  z <- c(-1.2816, -.5244, 0, .5244, 1.2816)
  r <- max(n) + 1
  repeat {
    at <- found$chosen(r)
    if (!at$weak) {
      if (for_name != at$name) {
        for_name <- at$name
        own <- spreads(for_name, TRUE)
        pair <- spreads("cappedrank", FALSE)
      }
      paired <- for_name != "ranksum"
      for_kept <- reach(for_name, r, alpha)
      k <- 0
      before <- -1
      for (i in 1:10) {
        if (k == before) break
        for_slower <- reach(for_name, r, level(k))
        slower <- kept <- numeric(length(known))
        for (q in z) {
          s <- own$sigma * exp(q * sqrt(own$eta^2 + (if (paired) .6 else .35) / r))
          D <- pair$sigma * sqrt(1 / n + (if (paired) 1 else 1.5) / r) * exp(q * own$eta)
          above <- pnorm((own$e - zero - for_slower * s) / D)
          slower <- slower + above / 5
          kept <- kept + (!own$hidden) * pmin(pnorm((log(delta) - for_kept * s - own$e) / D), 1 - above) / 5
        }
        before <- k
        k <- floor(sum(slower))
      }
      chance <- slower + kept
      total <- 0
      for (i in open) {
        j <- match(i, known)
        total <- total + chance[j]
        if (isTRUE(answer$by[[i]]$r > 0)) next
        o <- out[[i]]
        said <- list(r = 0, limit = 1000, chance = chance[j], test = if (!paired && r > 50) "ranksum_normal" else for_name)
        if (chance[j] >= .8) {
          said$r <- r
          unknown <- o$ratio_lo95 <= 1 && delta <= o$ratio_hi95 || max(slower[j], kept[j]) < .8 * chance[j]
          said$towards <- if (unknown) "" else if (kept[j] > slower[j]) "kept" else if (o$ratio >= delta && o$visible) "violated" else "marginal"
        }
        answer$by[[i]] <- said
      }
      if (is.null(answer$half) && 2 * total >= length(open)) answer$half <- list(r = r, decides = total)
    }
    if (r == 1000 || !is.null(answer$half) && all(vapply(open, function(i) isTRUE(answer$by[[i]]$r > 0), NA))) return(answer)
    r <- min(1000, r + max(1, r %/% 20))
  }
}

# ---- Does it depend on the state of the machine? ----

# by_state gives by test whether it could be told, and what each state says where they differ.
by_state <- function(found, m, shapes) {
  pairs <- list()
  for (i in seq_len(m)) {
    o <- found$outcomes[[i]]
    of <- list()
    for (s in report$states) {
      runs <- setdiff(unlist(s$mpiruns), unlist(s$changed))
      runs <- runs[runs <= o$runs]
      if (s$shape == shapes[i] && length(runs) > 1) of <- c(of, list(list(name = s$name, x = o$x[runs], y = o$y[runs])))
    }
    for (b in seq_along(of)) for (a in seq_len(b - 1)) {
      n <- c(length(of[[a]]$x), length(of[[b]]$x))
      pairs <- c(pairs, list(list(test = i, of = of, a = of[[a]]$x / of[[a]]$y, b = of[[b]]$x / of[[b]]$y, least = min(1, 2 / choose(sum(n), n[1])))))
    }
  }
  least <- vapply(pairs, function(p) p$least, 0)
  K <- 1
  while (sum(least <= report$alpha / K) > K) K <- K + 1
  pairs <- pairs[least <= report$alpha / K]
  p <- vapply(pairs, function(p) min(1, 2 * min(rank_sum(p$a, p$b), rank_sum(p$b, p$a))), 0)
  adjusted <- p.adjust(p, c(bh = "BH", holm = "holm", none = "none")[[report$adjust]])
  answer <- vector("list", m)
  for (j in seq_along(pairs)) {
    i <- pairs[[j]]$test
    much <- abs(median(outer(log(pairs[[j]]$a), log(pairs[[j]]$b), "-")))
    if (is.null(answer[[i]])) answer[[i]] <- list()
    if (length(answer[[i]]) > 0 || adjusted[j] > report$alpha || much < log(delta)) next
    said <- lapply(pairs[[j]]$of, function(s) {
      e <- tests$signedrank$effect(s$x, s$y)
      p <- min(1, signed_rank(s$x, s$y))
      verdict <- if (2^-length(s$x) > report$alpha) "undecided"
        else if (p <= report$alpha && e[1] >= delta && abs(median(s$x - s$y)) >= 1.5 * tick) "violated"
        else if (p <= report$alpha) "marginal"
        else if (signed_rank(s$y * delta, s$x) <= report$alpha && !(tick > 0 && median(s$y * delta - s$x) < 1.5 * tick)) "kept"
        else "undecided"
      list(state = s$name, mpiruns = length(s$x), ratio = e[1], ratio_lo95 = e[2], ratio_hi95 = e[3], verdict = verdict)
    })
    if (length(unique(vapply(said, function(s) s$verdict, ""))) > 1 && any(vapply(said, function(s) s$ratio >= delta, NA))) answer[[i]] <- said
  }
  answer
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

is_split <- vapply(plan$tests, function(t) t$type == "split", NA)
of_message <- vapply(plan$tests, function(t) is_message[t$case + 1], NA)
split_family <- (isTRUE(manifest$split_experiment) || !is.null(split)) && any(is_split & !of_message)
alpha1 <- if (split_family) report$alpha * 4 / 5 else report$alpha
alpha2 <- report$alpha / 5
status_of <- function(t) {
  s <- vapply(c(t$case, t$others), function(i) cases[[i + 1]]$status, "")
  if ("wrong" %in% s) "wrong" else if ("not_measured" %in% s) "not_measured" else "ok"
}
family <- Filter(function(i) !is_split[i] && !of_message[i] && status_of(plan$tests[[i]]) != "not_measured", seq_along(plan$tests))

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
would <- needed(found, length(family), alpha1, R)
states <- by_state(found, length(family), vapply(family, function(i) np_name(plan$tests[[i]]$shape), ""))
for (n in seq_along(family)) {
  v <- report$verdicts[[family[n]]]
  for (field in c("r", "limit", "chance", "towards", "test")) {
    mine <- would$by[[n]][[field]]
    if (field == "towards" && !is.null(would$by[[n]]) && is.null(mine)) mine <- ""
    differ(paste(name_of(v), "runs_needed", field), mine, v$runs_needed[[field]])
  }
  differ(paste(name_of(v), "by_state_told"), if (is.null(states[[n]])) NULL else TRUE, v$by_state_told)
  differ(paste(name_of(v), "states"), length(states[[n]]), length(v[["by_state"]])) # $ would take by_state_told for it
  for (s in seq_along(v[["by_state"]])) for (field in names(v[["by_state"]][[s]])) {
    differ(paste(name_of(v), "state", s, field), if (s <= length(states[[n]])) states[[n]][[s]][[field]], v[["by_state"]][[s]][[field]])
  }
}
for (field in c("r", "decides")) differ(paste("runs_needed_half", field), would$half[[field]], report$runs_needed_half[[field]])
differ("m", length(family), report$m)
differ("alpha_family", alpha1, report$alpha_family)
differ("test", if (found$test == "ranksum" && R > 50) "ranksum_normal" else found$test, report$test)
differ("p_min", found$least, report$p_min)
differ("rho", median(rho), report$rho)
differ("tied_tests", tied, report$tied_tests)
differ("zero_differences", zeros, report$zero_differences)
differ("clock_tick_s", tick / 1e9, report$clock_tick_s)

# ---- Split-robustness ----

followed <- c(split$comparisons, split$follow_ups)
# family_of tests some of them with a part of alpha, and compares what the report says of that family.
family_of <- function(some, alpha, name) {
  if (!any(some)) return(NULL)
  tested <- judge(sum(some), alpha, R2, 1, function(r) lapply(followed[some], function(f) {
    x <- follow[[paste(f$case, 1)]]
    y <- follow[[paste(f$part, f$calls)]]
    if (is.null(x) || is.null(y) || x$status != "ok" || y$status != "ok" || !valid(x, r) || !valid(y, r)) return(NULL)
    list(x = x$median, y = y$median, factor = 1)
  }))
  said <- report[[name]]
  differ(paste0(name, ".m"), sum(some), said$m)
  differ(paste0(name, ".r"), R2, said$r)
  differ(paste0(name, ".alpha"), alpha, said$alpha)
  differ(paste0(name, ".test"), tested$test, said$test)
  differ(paste0(name, ".p_min"), tested$least, said$p_min)
  tested
}
message <- vapply(followed, function(f) of_message[f$test + 1], NA)
families <- list(family_of(!message, alpha2, "split_experiment"), family_of(message, report$alpha, "message_experiment"))
outcome_of <- function(f) {
  tested <- families[[1 + message[f]]]
  if (tested$refused) NULL else tested$outcomes[[sum(message[1:f] == message[f])]]
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
  o <- if (is.na(f)) NULL else outcome_of(f)
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
