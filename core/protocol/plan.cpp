// SPDX-License-Identifier: MIT
#include "core/protocol/plan.h"
