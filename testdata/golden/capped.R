# Makes signedrank_capped.json from the samples of signedrank_greater.json:
#   Rscript capped.R < signedrank_greater.json > signedrank_capped.json
# Twelve more have differences that are far from all others.
library(jsonlite)
given <- fromJSON(file("stdin"), simplifyVector = FALSE)
tail_of <- function(scores, V) {
  n <- length(scores)
  if (n <= 16) { # every choice of signs
    signs <- as.matrix(expand.grid(rep(list(0:1), n)))
    return(mean(signs %*% scores >= V - 1e-9))
  }
  counts <- 1
  for (s in 2 * scores) counts <- c(counts, rep(0, s)) + c(rep(0, s), counts)
  sum(rev(counts[(2 * V + 1):length(counts)])) / 2^n
}
capped <- function(size) {
  counts <- size <= 5 * median(size)
  if (4 * sum(!counts) > length(size)) counts[] <- TRUE
  n <- sum(counts)
  scores <- rep(0, length(size))
  scores[counts] <- pmin(rank(size[counts]), max(1, floor(2 * n / 3)) / 2)
  scores
}
set.seed(1)
far <- lapply(1:12, function(i) {
  R <- 8 + 2 * (i - 1) %/% 3 * 2
  y <- signif(1e-5 * exp(.02 * rnorm(R)), 9)
  x <- y + signif(1e-7 * rnorm(R, mean = .5), 6)
  odd <- sample(R, 1 + i %% 3 * 2)
  x[odd] <- x[odd] + signif(1e-5 * sample(c(-.6, 1), length(odd), TRUE), 4)
  list(id = sprintf("far_%02d_R=%d", i, R), x = x, y = y)
})
cases <- lapply(c(given$cases, far), function(case) {
  x <- unlist(case$x)
  d <- x - unlist(case$y)
  d <- d[d != 0]
  n <- length(d)
  scores <- if (n > 0) capped(abs(d)) else numeric(0)
  V <- sum(scores[d > 0])
  p <- if (n == 0) 1 else tail_of(scores, V)
  sigma <- sqrt(sum(scores^2) / 4)
  normal <- if (sigma > 0) pnorm((V - sum(scores) / 2 - .5) / sigma, lower.tail = FALSE) else NULL
  list(id = case$id, x = case$x, y = case$y, expect = list(V = V, n_nonzero = n, p_exact = p, p_min_exact = 2^-n, p_normal_cc = normal))
})
cat(toJSON(list(schema = given$schema, kind = "capped_signed_rank_greater", source = paste("capped.R,", R.version.string),
  doc = "as signedrank_greater.json, with scores min(midrank of |d|, floor(2n/3)/2) in place of midranks, among the n sizes up to 5 times their median; larger ones have the score 0, unless they are more than a quarter",
  n_cases = length(cases), cases = cases), auto_unbox = TRUE, digits = I(17), null = "null"), "\n", sep = "")
