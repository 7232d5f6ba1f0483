"""The list of tests."""
TESTS = []


def test(function):
    """One that takes `p` shares a gateway and a browser with the others; `_` brings its own."""
    TESTS.append(function)
    return function
