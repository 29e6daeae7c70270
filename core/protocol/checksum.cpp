// SPDX-License-Identifier: MIT
#include "core/protocol/checksum.h"
