"""Damaged .npy files, and what is said of them."""

from __future__ import annotations

DAMAGED = "the array 'probs' cannot be read and may be damaged:"


def npy(shape: str, body: bytes, version: bytes = b"\x01\x00", descr: str = "'<f8'") -> bytes:
    """An .npy file with any header."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}".encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    return b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header + body
