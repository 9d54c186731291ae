"""DART's version; packaging/release compares it with that of CMakeLists.txt."""

VERSION = "3.2.0"
