"""The calls whose mpiruns differ most: python3 slowest.py samples.csv (or .parquet)"""

import sys

import pandas as pd

path = sys.argv[1]
x = pd.read_parquet(path) if path.endswith(".parquet") else pd.read_csv(path)
x = x[(x["flags"] == 0) & ~x.outlier & (x["mode"] == "run")]

# Compare run medians, one for each mpirun: samples of one mpirun resemble each other.
case = ["folder", "shape", "function", "msize"]
medians = x.groupby(case + ["mpirun"]).ns.median()
spread = medians.groupby(case).agg(["min", "median", "max"])
spread["max/min"] = (spread["max"] / spread["min"]).round(2)
print(spread.sort_values("max/min", ascending=False).head(10).to_string())
