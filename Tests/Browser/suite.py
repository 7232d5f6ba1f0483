"""The list of tests."""
TESTS = []


def test(function):
    """Adds a test to the list. With the parameter `p` it shares a gateway and a browser; with `_` it has its own."""
    TESTS.append(function)
    return function
