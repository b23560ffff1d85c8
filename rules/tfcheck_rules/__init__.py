"""The rules that ship with tfcheck, one file each."""
