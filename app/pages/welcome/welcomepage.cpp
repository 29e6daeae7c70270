// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/welcome/welcomepage.h"

#include "app/models/experimentmodel.h"
#include "app/session/background.h"
#include "app/session/bundled.h"
#include "app/session/session.h"
#include "app/shell/democard.h"
#include "app/text/text.h"
#include "app/widgets/actionbutton.h"
#include "app/widgets/actioncard.h"
#include "app/widgets/arrange.h"
#include "app/widgets/card.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include "core/base/clock.h"
#include "core/sites/localsite.h"

#include <QEvent>
#include <QScrollArea>
#include <algorithm>

namespace ringside {

namespace {

constexpr int kCardGap = 16;

} // namespace

WelcomePage::WelcomePage(const PageContext& context)
    : Page(context)
    , m_continueArea(new QWidget)
    , m_foot(makeParagraph(LabelKind::caption))
    , m_scroll(new QScrollArea)
    , m_probe("example probe")
{
    setTitle(tr("Welcome to Ringside"), tr("Set up, launch, watch and compare distributed training experiments. "
                                           "Everything stays on this computer and on "
                                           "the sites you add."));
    setWindowName(tr("Welcome"));
    auto* first = makeRow({{exampleCard(), 1}}, kCardGap);
    if (!DemoCard::script().isEmpty())
        first->addWidget(new DemoCard(context), 1);
    first->addWidget(siteCard(), 1);
    auto* second = makeRow({{templatesCard(), 1}, {makeColumn({resultsCard(), {learnCard(), 1}}, kCardGap), 1}}, kCardGap);
    auto* inside = new QWidget;
    // Rows stay as high as they are.
    fillColumn(inside, {first, m_continueArea, second, stretch(1)}, kCardGap, {0, 4, 0, 0});
    fillColumn(m_continueArea, {});
    m_continueArea->hide();
    m_scroll->setWidget(inside);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->viewport()->installEventFilter(this);
    inside->installEventFilter(this);
    content()->addWidget(m_scroll, 1);
    m_foot->setAlignment(Qt::AlignRight);
    content()->addWidget(m_foot);
    connect(&context.session.experiments(), &ExperimentList::changed, this, &WelcomePage::showContinue);
    connect(&context.session, &Session::accessChanged, this, [this] {
        showFoot();
        showObstacle();
    });
}

/// A scroll area asks for the least height, at which paragraphs are narrow and high; this is the height at its width.
void WelcomePage::fit()
{
    auto* inside = m_scroll->widget();
    inside->setMinimumHeight(inside->layout()->totalHeightForWidth(m_scroll->viewport()->width()));
}

bool WelcomePage::eventFilter(QObject* watched, QEvent* event)
{
    const bool isResized = watched == m_scroll->viewport() && event->type() == QEvent::Resize;
    if (isResized || (watched == m_scroll->widget() && event->type() == QEvent::LayoutRequest))
        fit();
    return Page::eventFilter(watched, event);
}

QWidget* WelcomePage::exampleCard()
{
    m_start = primary(new QPushButton);
    m_obstacle = makeParagraph(LabelKind::error);
    auto* card = new Card;
    fillActionCard(*card, context().theme, QStringLiteral("play"), tr("Run the example on this computer"),
                   tr("Trains AlexNet and ResNet-50 on 1 and 2 CPU ranks with real JPEG input, shows the samples as "
                      "they arrive and ends on a speed-up chart."),
                   m_start, tr("Some minutes · 36 runs · 110 MB · no GPU, no network"));
    card->body()->addWidget(m_obstacle);
    card->accent();
    connect(m_start, &QPushButton::clicked, this, [this] {
        if (m_missing.isEmpty())
            action(ActionId::runExample)->trigger();
        else
            probe(true);
    });
    showObstacle();
    return card;
}

/// Asks the worker for its features, which may take seconds on a cold disk; an obstacle to the example stands on its
/// card.
void WelcomePage::probe(bool thenRun)
{
    const auto look = [worker = context().session.programs().worker](std::stop_token) -> QString {
        std::error_code error;
        if (!fs::exists(worker, error))
            return tr("The worker is missing: %1. Install Ringside again, or build it with the worker.")
                .arg(shortPath(toQt(worker)));
        const auto example = firstLight();
        if (!example)
            return messageOf(example.error());
        const auto checks = spec::validate(*example, localSite(worker));
        return spec::hasBlocking(checks) ? toQt(checks.front().message + " " + checks.front().hint) : QString();
    };
    runLatest(m_probe, m_probeJob, this, look, [this, thenRun](const QString& obstacle) {
        m_missing = obstacle;
        showObstacle();
        if (obstacle.isEmpty() && thenRun)
            action(ActionId::runExample)->trigger();
    });
}

/// The example writes its runs into the database; that comes before what else it needs.
void WelcomePage::showObstacle()
{
    const auto access = context().session.access();
    const auto* run = action(ActionId::runExample);
    const QString obstacle =
        access == Session::Access::none
            ? tr("The example needs a database, and this one cannot be opened. Choose another folder in Settings.")
        : access == Session::Access::reading ? tr("The example writes into the database, which can only be read now.")
                                             : m_missing;
    m_obstacle->setText(obstacle);
    m_obstacle->setVisible(!obstacle.isEmpty());
    m_start->setEnabled(access == Session::Access::writing);
    m_start->setText(m_missing.isEmpty() ? run->iconText() : tr("Try again"));
    m_start->setIcon(run->property(kPrimaryIcon).value<QIcon>());
}

QWidget* WelcomePage::siteCard()
{
    auto* add = new QPushButton(tr("Add a site…"));
    connect(add, &QPushButton::clicked, action(ActionId::addSite), &QAction::trigger);
    auto* card = new Card;
    fillActionCard(*card, context().theme, QStringLiteral("key"), tr("Connect your own cluster"),
                   tr("Takes a host from your SSH configuration, verifies its key, and checks scheduler, GPUs, MPI and "
                      "storage before anything is copied there."),
                   add, tr("Installs nothing on the login node that stays running"));
    return card;
}

QWidget* WelcomePage::templatesCard()
{
    auto* card = new Card(tr("Ask a question of your own"));
    addRow(*card, QStringLiteral("plus"), tr("New experiment"),
           tr("A form that shows every run and the cost, and the same as a TOML file"), tr("New"),
           [this] { action(ActionId::newExperiment)->trigger(); });
    addRow(*card, QStringLiteral("flask"), tr("Scaling of one model"),
           tr("1 and more ranks, strong or weak, with base case and ideal line"), tr("Use"),
           [this] { useTemplate(QStringLiteral("scaling-of-one-model")); });
    addRow(*card, QStringLiteral("flask"), tr("Aggregation plans side by side"),
           tr("one and buckets, overlapped and after backward, interleaved"), tr("Use"),
           [this] { useTemplate(QStringLiteral("aggregation-plans")); });
    addRow(*card, QStringLiteral("flask"), tr("Eight systems' plans"),
           tr("Caffe, CNTK, TensorFlow, PyTorch, Horovod, SINGA and MG-WFBP on this computer"), tr("Use"),
           [this] { useTemplate(QStringLiteral("plans")); });
    addRow(*card, QStringLiteral("flask"), tr("Loading of pictures"),
           tr("files or one packed file, page cache, decode threads and read-ahead"), tr("Use"),
           [this] { useTemplate(QStringLiteral("loading")); });
    addRow(*card, QStringLiteral("folder"), tr("Open an experiment file…"), tr("TOML, as published with a paper"),
           tr("Browse…"), [this] { action(ActionId::open)->trigger(); });
    card->body()->addStretch(1); // the card beside it may be higher
    return card;
}

QWidget* WelcomePage::resultsCard()
{
    auto* card = new Card(tr("Bring results you already have"));
    addRow(*card, QStringLiteral("table"), tr("Import training logs…"),
           tr("Recognises the program that wrote them, and shows runs, rates and doubts before anything is stored"),
           tr("Import…"), [this] { action(ActionId::importLogs)->trigger(); });
    return card;
}

QWidget* WelcomePage::learnCard()
{
    auto* card = new Card(tr("Know what you will see"));
    addRow(*card, QStringLiteral("book"), tr("How Ringside measures"),
           tr("Phases, warm-up, intervals: what each number means"), tr("Read"),
           [this] { context().shell.showHelp(); });
    addRow(*card, QStringLiteral("keyboard"), tr("Keyboard shortcuts"), tr("Every action works without a mouse"),
           tr("Show"), [this] { action(ActionId::shortcuts)->trigger(); });
    addRow(*card, QStringLiteral("sliders"), tr("Settings"), tr("Appearance, text size, database folder, defaults"),
           tr("Change"), [this] { action(ActionId::settings)->trigger(); });
    card->body()->addStretch(1); // the card beside it may be higher
    return card;
}

void WelcomePage::addRow(Card& card, const QString& icon, const QString& title, const QString& caption,
                         const QString& verb, std::function<void()> run)
{
    if (card.body()->count() > 1)
        card.body()->addWidget(makeRule());
    auto* words = makeColumn({makeParagraph(LabelKind::text, title), makeParagraph(LabelKind::caption, caption)}, 2);
    auto* button = link(new QPushButton(verb));
    button->setAccessibleName(tr("%1: %2", "verb and what it is about").arg(verb, title));
    connect(button, &QPushButton::clicked, this, std::move(run));
    card.body()->addLayout(
        makeRow({new IconLabel(context().theme, icon, Ink::text2, 16), {words, 1}, button}, space::kGap));
}

void WelcomePage::useTemplate(const QString& name)
{
    const auto text = bundledExperimentText(name);
    if (!text)
        return showError(text.error());
    context().shell.go({.page = PageId::editor, .toml = toQt(*text)});
}

void WelcomePage::activate(const Target&)
{
    m_start->setFocus();
    showFoot();
    probe(false);
    m_isWaiting = true;
    context().session.experiments().visit();
    showContinue();
}

/// Once each time the page is shown: what lies under the pointer stays.
void WelcomePage::showContinue()
{
    const ExperimentList& list = context().session.experiments();
    if (!m_isWaiting || !list.knows())
        return;
    m_isWaiting = false;
    auto newest = list.rows();
    std::erase_if(newest, std::not_fn(isOffered));
    std::sort(newest.begin(), newest.end(), [](const auto& a, const auto& b) { return a.changedAt > b.changedAt; });
    newest.resize(std::min<std::size_t>(newest.size(), 2));
    qDeleteAll(m_continueArea->findChildren<Card*>(QString(), Qt::FindDirectChildrenOnly));
    m_continueArea->setVisible(!newest.empty());
    auto* card = new Card(tr("Continue"));
    for (const auto& row : newest) {
        const QString name = toQt(row.name);
        const QString caption =
            tr("%1 runs · %2", "41 of 156, then when")
                .arg(Numbers::ofTotal(row.runs.done, plannedRuns(row)), Numbers::relativeTime(row.changedAt, wallNs()));
        addRow(*card, QStringLiteral("flask"), name, caption, tr("Open"),
               [this, name] { context().shell.go({.page = PageId::experiments, .experiment = name}); });
    }
    m_continueArea->layout()->addWidget(card);
}

void WelcomePage::showFoot()
{
    const auto& store = context().session.store();
    m_foot->setText(
        tr("Ringside %1 · database %2").arg(QCoreApplication::applicationVersion(), shortPath(toQt(store))));
}

} // namespace ringside
