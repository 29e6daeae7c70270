// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/retrydialog.h"

#include "app/dialogs/launchdialog.h"
#include "app/widgets/text.h"

#include <QCoreApplication>

namespace ringside {

namespace {

class RetryWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::RetryWords)
public:
    static QString whatItMeans() { return tr("Each run becomes a new attempt; the earlier ones are kept."); }
};

} // namespace

void retry(const PageContext& context, QWidget* parent, const LaunchRequest& request,
           std::function<void(const LaunchRequest&)> launch)
{
    if (request.site == spec::kLocalSite)
        return launch(request);
    auto* dialog = new LaunchDialog(context.theme, parent, toQt(request.site), int(request.only.size()));
    dialog->addAbove(RetryWords::whatItMeans());
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
