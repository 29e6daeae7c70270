# SPDX-License-Identifier: MIT
# Toolchain of installers/agent-for.sh: Debian's cross compiler. What is not in CMAKE_PREFIX_PATH is headers alone, and
# those of this computer serve.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
file(GLOB fmt_DIR /usr/lib/*/cmake/fmt) # lies in a folder of this computer's architecture
