# Makes signedrank_capped.json from the samples of signedrank_greater.json:
#   Rscript capped.R < signedrank_greater.json > signedrank_capped.json
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
cases <- lapply(given$cases, function(case) {
  x <- unlist(case$x)
  d <- x - unlist(case$y)
  d <- d[d != 0]
  n <- length(d)
  scores <- pmin(rank(abs(d)), max(1, floor(2 * n / 3)) / 2)
  V <- sum(scores[d > 0])
  p <- if (n == 0) 1 else tail_of(scores, V)
  sigma <- sqrt(sum(scores^2) / 4)
  normal <- if (sigma > 0) pnorm((V - sum(scores) / 2 - .5) / sigma, lower.tail = FALSE) else NULL
  list(id = case$id, x = case$x, y = case$y, expect = list(V = V, n_nonzero = n, p_exact = p, p_min_exact = 2^-n, p_normal_cc = normal))
})
cat(toJSON(list(schema = given$schema, kind = "capped_signed_rank_greater", source = paste("capped.R,", R.version.string),
  doc = "as signedrank_greater.json, with scores min(midrank of |d|, floor(2n/3)/2) in place of midranks",
  n_cases = length(cases), cases = cases), auto_unbox = TRUE, digits = I(17), null = "null"), "\n", sep = "")
