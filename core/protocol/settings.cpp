// SPDX-License-Identifier: MIT
#include "core/protocol/settings.h"
