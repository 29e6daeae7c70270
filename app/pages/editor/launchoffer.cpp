// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/launchoffer.h"

#include "app/dialogs/launchdialog.h"
#include "app/pages/editor/summarycard.h"
#include "app/session/session.h"
#include "app/text/text.h"

#include <QCoreApplication>

namespace ringside {

namespace {

struct LaunchOffer
{
    Q_DECLARE_TR_FUNCTIONS(ringside::LaunchOffer)
};

void addWords(LaunchDialog& dialog, const Evaluation& evaluation, bool isTrial)
{
    if (isTrial)
        return dialog.addAbove(
            LaunchOffer::tr("The smallest configuration once, 20 iterations; kept apart from the results."));
    dialog.addAbove(timeText(evaluation));
    dialog.addAbove(
        LaunchOffer::tr("Runs that are done already are not repeated. You can close Ringside; the runs continue."));
}

} // namespace

void offerLaunch(const PageContext& context, QWidget* parent, const Evaluation& evaluation,
                 const LaunchRequest& request, const LaunchAnswers& answers)
{
    const int runs = request.trial ? 1 : int(evaluation.missing.size());
    auto* dialog = new LaunchDialog(context.theme, parent, toQt(request.site), runs);
    addWords(*dialog, evaluation, request.trial);
    if (const auto expected = evaluation.nodeSecondsMissing(); expected && !request.trial)
        dialog->expect(*expected);
    dialog->showChecks(evaluation.checks);
    QObject::connect(dialog, &LaunchDialog::fieldAsked, parent, answers.goToField);
    if (!request.trial)
        dialog->offerToTell(context.preferences, request.experiment);
    QObject::connect(dialog, &LaunchDialog::launchWanted, parent,
                     [request, launch = answers.launch](const LaunchPreview& shown) {
                         LaunchRequest wanted = request;
                         if (wanted.site != spec::kLocalSite)
                             wanted.campaign = shown.campaign;
                         launch(wanted);
                     });
    if (request.site == spec::kLocalSite)
        dialog->showPreview({.site = request.site, .runs = evaluation.missing.size(), .script = evaluation.script});
    else
        dialog->ask(context.session, request);
    dialog->open();
}

} // namespace ringside
