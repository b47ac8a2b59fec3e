"""Reads a CSV table with pandas as a user would, and compares it with the rows of the JSON document.

Arguments: the CSV file, the JSON file, and where the rows are in it, such as groups.ecus.
"""

import json
import sys

import pandas


def rows_at(document, path):
    rows = [document]
    for name in path.split("."):
        nested = [row[name] for row in rows]
        rows = [row for part in nested for row in (part if isinstance(part, list) else [part])]
    return rows


def field(row, column):
    for name in column.split("."):
        if row is None or name not in row:
            return None
        row = row[name]
    return row


def main():
    table, document, path = sys.argv[1:]
    with open(document) as file:
        expected = rows_at(json.load(file), path)
    # "None" and "NA" may be names; only an empty cell is no value.
    frame = pandas.read_csv(table, keep_default_na=False, na_values=[""])
    assert len(frame) == len(expected), f"{len(frame)} rows, {len(expected)} expected"
    for column in frame.columns:
        for value, row in zip(frame[column], expected):
            own = field(row, column)
            if isinstance(own, list):
                own = "; ".join(str(entry) for entry in own)
            if own is None or own == "":
                assert pandas.isna(value), f"{column}: {value!r} for {own!r}"
            elif isinstance(own, str):
                assert isinstance(value, str) and value == own, f"{column}: {value!r} for {own!r}"
            else:
                assert value == own, f"{column}: {value!r} for {own!r}"
    flat = {name for row in expected for name, one in row.items() if is_cell(one)}
    missing = flat - set(frame.columns)
    assert not missing, f"columns are missing: {missing}"
    print(len(frame), len(frame.columns))


def is_cell(value):
    if isinstance(value, list):
        return bool(value) and not any(isinstance(entry, (dict, list)) for entry in value)
    return not isinstance(value, dict)


main()
