// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/retrydialog.h"

#include "app/dialogs/launchdialog.h"
#include "app/session/session.h"
#include "app/text/text.h"

#include "core/sites/localsite.h"
#include "core/spec/toml.h"
#include "core/spec/validate.h"
#include "core/store/queries.h"

#include <QCoreApplication>

namespace ringside {

namespace {

class RetryWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::RetryWords)
public:
    static QString whatItMeans() { return tr("Each run becomes a new attempt; the earlier ones are kept."); }
};

/// As in the editor, by what is known of the site here; the rest the site says itself.
Result<std::vector<spec::Check>> checksOf(const store::Database& db, const LaunchRequest& request)
{
    TRY_ASSIGN(const std::string text, store::experimentText(db, request.experiment));
    TRY_ASSIGN(const spec::Experiment experiment, spec::parseExperiment(text, request.experiment));
    std::vector<spec::Check> checks = spec::validate(experiment, unknownSite(request.site));
    spec::sortByGravity(checks);
    return checks;
}

/// The editor is where a field is.
void addChecks(const PageContext& context, LaunchDialog& dialog, const LaunchRequest& request)
{
    const auto job = std::make_shared<JobTracker>(); // as long as the dialog
    context.session.queries().ask(
        *job, [request](const store::Database& db, std::stop_token) { return checksOf(db, request); },
        [&dialog](const Result<std::vector<spec::Check>>& checks) {
            if (checks)
                dialog.showChecks(*checks);
        });
    QObject::connect(&dialog, &LaunchDialog::fieldAsked, &dialog,
                     [&shell = context.shell, job, name = toQt(request.experiment)](const QString& field) {
                         shell.go(
                             {.page = PageId::editor, .experiment = name, .show = QStringLiteral("field:") + field});
                     });
}

} // namespace

void retry(const PageContext& context, QWidget* parent, const LaunchRequest& request,
           std::function<void(const LaunchRequest&)> launch)
{
    if (request.site == spec::kLocalSite)
        return launch(request);
    auto* dialog = new LaunchDialog(context.theme, parent, toQt(request.site), int(request.only.size()));
    dialog->addAbove(RetryWords::whatItMeans());
    addChecks(context, *dialog, request);
    dialog->offerToTell(context.preferences, request.experiment);
    QObject::connect(dialog, &LaunchDialog::launchWanted, parent,
                     [request, launch = std::move(launch)](const LaunchPreview& shown) {
                         LaunchRequest wanted = request;
                         wanted.campaign = shown.campaign;
                         launch(wanted);
                     });
    dialog->ask(context.session, request);
    dialog->open();
}

} // namespace ringside
