// SPDX-License-Identifier: MIT
// Sources that read JPEG files.
#pragma once

#include "agent/worker/data/batchsource.h"

namespace ringside {

/// Sources `synthetic-files` and `folder`; contract as of openBatchSource().
Result<std::unique_ptr<BatchSource>> openPictureSource(const DataSettings& settings);
/// As prepareBatchSource().
Result<void> preparePictures(const DataSettings& settings);

} // namespace ringside
