// SPDX-License-Identifier: MIT
#include "core/protocol/journal.h"
