// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/experiments/deleteexperiments.h"

#include "app/dialogs/confirmdialog.h"
#include "app/session/session.h"
#include "app/widgets/numbers.h"
#include "app/widgets/text.h"

namespace ringside {

namespace {

/// Every run of the experiments, trials and cells that left the matrix included.
struct Stock
{
    int runs = 0;
    std::uint64_t bytes = 0;
};

/// What a sample takes in the database, its share of the b-tree included.
constexpr std::uint64_t kBytesPerSample = 110;

Result<Stock> stockOf(const store::Database& db, const std::vector<std::string>& names, const std::stop_token& stop)
{
    Stock stock;
    for (const auto& name : names) {
        if (stop.stop_requested())
            break;
        TRY_ASSIGN(const auto runs, store::runs(db, {.experiment = name, .kind = {}}));
        stock.runs += int(runs.size());
        for (const auto& run : runs)
            stock.bytes += std::uint64_t(run.samples) * kBytesPerSample;
    }
    return stock;
}

class DeleteWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::DeleteWords)
public:
    static Question question(const DeleteRequest& request, const Stock& stock)
    {
        const int count = int(request.experiments.size());
        const QString title = count == 1 ? tr("Delete “%1”?").arg(toQt(request.experiments.front().name))
                                         : tr("Delete %n experiments?", nullptr, count);
        const QString text = stock.runs == 0
                                 ? tr("It has no runs. Archived experiments leave the list and can be taken back.")
                                 : tr("%n run(s) and their samples (about %1) would be deleted for good. Archived, "
                                      "they leave the list and can be taken back.",
                                      nullptr, stock.runs)
                                       .arg(Numbers::bytes(stock.bytes));
        Question question{.title = title,
                          .text = text,
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
            if (stock)
                askUser(parent, theme, DeleteWords::question(request, *stock));
        });
}

} // namespace ringside
