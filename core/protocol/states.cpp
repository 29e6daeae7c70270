// SPDX-License-Identifier: MIT
#include "core/protocol/states.h"
