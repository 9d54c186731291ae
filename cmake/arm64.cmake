# Toolchain file for arm64 on Debian: cmake --toolchain cmake/arm64.cmake
#
# apt install gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libhwloc-dev:arm64 libcmocka-dev:arm64 qemu-user, after
# dpkg --add-architecture arm64. test/cli/cli_arm64.sh builds with it, and runs the tests.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
