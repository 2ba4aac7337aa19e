"""Conformance: two test suites of the ExecuTorch wheel, with cortorch in place of its own backend.

    make peer                                             both, on the reference and on boards
    PYTHONPATH=tests .venv/bin/python -m peer operators -k conv2d

``suites`` says where the cases are. ``plugin`` runs in the pytest processes that carry them out on
the reference, with ``recorder`` in place of upstream's tester. ``batches`` then runs what was
recorded as baked C, dozens of programs in one image. ``verdict`` joins both, ``expectation``
compares with ``expected/<suite>.yml``, ``report`` writes tables and summary.json.
"""
