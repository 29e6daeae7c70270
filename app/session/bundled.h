// SPDX-License-Identifier: GPL-3.0-or-later
// The bundled experiments: the example of the Welcome page and the templates.
#pragma once

#include "core/base/error.h"
#include "core/spec/experiment.h"

#include <QString>

namespace ringside {

/// Text of resources/experiments/<name>.toml.
Result<std::string> bundledExperimentText(const QString& name);

Result<spec::Experiment> firstLight();

} // namespace ringside
