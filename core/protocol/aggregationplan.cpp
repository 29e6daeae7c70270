// SPDX-License-Identifier: MIT
#include "core/protocol/aggregationplan.h"
