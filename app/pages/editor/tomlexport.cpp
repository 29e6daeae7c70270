// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/tomlexport.h"

#include "app/session/background.h"
#include "app/text/text.h"

#include "core/base/sharedfile.h"
#include "core/spec/toml.h"

#include <QCoreApplication>
#include <QFileDialog>

namespace ringside {

namespace {

struct TomlExport
{
    Q_DECLARE_TR_FUNCTIONS(ringside::TomlExport)
};

} // namespace

void exportToml(const PageContext& context, QWidget* parent, TaskThread& thread, const spec::Experiment& experiment,
                const std::function<void(const Error&)>& failed)
{
    const QString name = toQt(experiment.name) + QStringLiteral(".toml");
    auto* dialog = new QFileDialog(parent, TomlExport::tr("Export TOML"), name, TomlExport::tr("Experiments (*.toml)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("toml"));
    const auto write = [&context, parent, &thread, failed,
                        text = spec::writeExperiment(experiment)](const QString& file) {
        const auto end = [&context, failed, file](const Result<void>& result) {
            if (!result)
                return failed(result.error());
            context.shell.notify({Severity::done, TomlExport::tr("Exported to %1.").arg(shortPath(file)), {}, {}, {}},
                                 true);
        };
        runAlways(
            thread, parent, [path = toPath(file), text] { return writeSharedFile(path, text); }, end);
    };
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, write);
    dialog->open();
}

} // namespace ringside
