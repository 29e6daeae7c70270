// SPDX-License-Identifier: GPL-3.0-or-later
// The formats by name, for their table.
#pragma once

#include "app/figures/formats/format.h"

namespace ringside::figures {

extern const Format kPdf;
extern const Format kSvg;
extern const Format kPng;
extern const Format kCsv;
extern const Format kRunsCsv;
extern const Format kProvenance;
extern const Format kCaption;
extern const Format kTrace;

} // namespace ringside::figures
