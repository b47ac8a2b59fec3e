"""Reads CSV tables with pandas as a user would, and compares each with the rows of a JSON document.

Arguments, three for each table: the CSV file, the JSON file, and where the rows are in it, such as
groups.ecus. Prints the number of rows and of columns of each table on a line.
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


def compare(table, document, path):
    with open(document) as file:
        expected = rows_at(json.load(file), path)
    # "None" and "NA" may be names; only an empty cell is no value.
    frame = pandas.read_csv(table, keep_default_na=False, na_values=[""])
    where = f"{table}, {path}"
    assert len(frame) == len(expected), f"{where}: {len(frame)} rows, {len(expected)} expected"
    for column in frame.columns:
        for value, row in zip(frame[column], expected):
            own = field(row, column)
            if isinstance(own, list):
                own = "; ".join(str(entry) for entry in own)
            wrong = f"{where}: {column}: {value!r} for {own!r}"
            if own is None or own == "":
                assert pandas.isna(value), wrong
            elif isinstance(own, str):
                assert isinstance(value, str) and value == own, wrong
            else:
                assert value == own, wrong
    flat = {name for row in expected for name, one in row.items() if is_cell(one)}
    missing = flat - set(frame.columns)
    assert not missing, f"{where}: columns are missing: {missing}"
    print(len(frame), len(frame.columns))


def is_cell(value):
    if isinstance(value, list):
        return bool(value) and not any(isinstance(entry, (dict, list)) for entry in value)
    return not isinstance(value, dict)


arguments = iter(sys.argv[1:])
for named in zip(arguments, arguments, arguments, strict=True):
    compare(*named)
