"""CSV and Parquet of the same runs, read by pandas, pyarrow and polars: the same values everywhere.

usage: readback.py RUNS.csv RUNS.parquet
"""

import json
import sys

import pandas
import polars
import pyarrow.parquet


def rows(frame):
    """Rows with None where a value does not exist, whole floats as they are."""
    return [[None if value is None or value != value else value for value in row] for row in frame]


def main(csv, parquet):
    table = pyarrow.parquet.read_table(parquet)
    expected = rows(zip(*(column.to_pylist() for column in table.columns)))
    names = table.column_names
    frames = {
        "polars, Parquet": polars.read_parquet(parquet),
        "polars, CSV": polars.read_csv(csv, infer_schema_length=None),
        "pandas, Parquet": pandas.read_parquet(parquet),
        "pandas, CSV": pandas.read_csv(csv),
    }
    for name, frame in frames.items():
        assert list(frame.columns) == names, name
        values = frame.iter_rows() if isinstance(frame, polars.DataFrame) else frame.itertuples(index=False)
        assert rows(values) == expected, f"{name}: other values"
    manifest = json.loads(pyarrow.parquet.read_metadata(parquet).metadata[b"retrysim"])
    assert manifest["software"] == "retrysim" and "request" in manifest, "no manifest in the Parquet file"
    print(f"{len(expected)} rows of {len(names)} columns: the same by pyarrow, polars and pandas")


if __name__ == "__main__":
    main(*sys.argv[1:])
