"""Readers of arrays by name: of NumPy, safetensors, netCDF and zarr."""
