"""Runs a program as on a kernel without IPv6: without_ipv6.py PROGRAM [ARGUMENT…]. A seccomp filter makes each IPv6 socket
fail with EAFNOSUPPORT. It does not need root."""
import ctypes
import os
import platform
import struct
import sys

SOCKET = {"x86_64": 41, "aarch64": 198}[platform.machine()]
AF_INET6, EAFNOSUPPORT = 10, 97
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, IF_EQUAL, RETURN, ALLOW, ERROR = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000
# In the filter's data, the system call's number is at 0 and its first argument at 16.
program = [
    (LOAD, 0, 0, 0), (IF_EQUAL, 0, 3, SOCKET), (LOAD, 0, 0, 16), (IF_EQUAL, 0, 1, AF_INET6),
    (RETURN, 0, 0, ERROR | EAFNOSUPPORT), (RETURN, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


libc = ctypes.CDLL(None, use_errno=True)
whole = Filter(len(program), ctypes.addressof(code))
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(whole), 0, 0):
    sys.exit(os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
