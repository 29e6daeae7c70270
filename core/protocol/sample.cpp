// SPDX-License-Identifier: MIT
#include "core/protocol/sample.h"
