// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/bundled.h"

#include "app/text/text.h"

#include "core/base/words.h"
#include "core/spec/toml.h"

#include <QFile>

namespace ringside {

Result<std::string> bundledExperimentText(const QString& name)
{
    QFile file(QStringLiteral(":/experiments/%1.toml").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return fail(ErrorCode::notFound, Words::tr("The experiment “{}” is not part of this build.", toUtf8(name)));
    return file.readAll().toStdString();
}

Result<spec::Experiment> firstLight()
{
    TRY_ASSIGN(const auto text, bundledExperimentText(QStringLiteral("first-light")));
    return spec::parseExperiment(text, "first-light.toml");
}

} // namespace ringside
