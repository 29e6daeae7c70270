// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/experiments/deleteexperiments.h"

#include "app/dialogs/confirmdialog.h"
#include "app/session/session.h"
#include "app/text/text.h"
#include "core/conductor/deletion.h"

namespace ringside {

namespace {

class DeleteWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::DeleteWords)
public:
    static Question question(const DeleteRequest& request, const Stock& stock)
    {
        const int count = int(request.experiments.size());
        const QString title = count == 1 ? tr("Delete “%1”?").arg(toQt(request.experiments.front().name))
                                         : tr("Delete %n experiments?", nullptr, count);
        Question question{.title = title,
                          .text = toQt(lossText(stock)),
                          .icon = QStringLiteral("trash"),
                          .answers = {},
                          .harmless = tr("Keep"),
                          .defaultAnswer = 1};
        const QString remove = stock.runs == 0 ? tr("Delete") : tr("Delete %n run(s)", nullptr, stock.runs);
        question.answers.push_back({remove, request.remove, true});
        question.answers.push_back({tr("Archive"), request.archive, false});
        return question;
    }
};

} // namespace

void askToDelete(const PageContext& context, QWidget* parent, JobTracker& tracker, const DeleteRequest& request)
{
    std::vector<std::string> names;
    for (const auto& experiment : request.experiments)
        names.push_back(experiment.name);
    context.session.queries().ask(
        tracker, [names](const store::Database& db, const std::stop_token& stop) { return stockOf(db, names, stop); },
        [&theme = context.theme, parent, request](Result<Stock> stock) {
            stock ? askUser(parent, theme, DeleteWords::question(request, *stock)) : request.failed(stock.error());
        });
}

} // namespace ringside
