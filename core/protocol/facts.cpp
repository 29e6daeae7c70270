// SPDX-License-Identifier: MIT
#include "core/protocol/facts.h"
