// SPDX-License-Identifier: MIT
#include "core/protocol/spool.h"
