// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/systemscard.h"

#include "app/dialogs/confirmdialog.h"
#include "app/session/background.h"
#include "app/session/session.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/corewords.h"
#include "app/widgets/elidedlabel.h"
#include "app/widgets/iconlabel.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include <QApplication>
#include <QGridLayout>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>

namespace ringside {

namespace {

constexpr int kRowHeight = 28; // px: that of a button
constexpr int kBarWidth = 160;
constexpr int kCheckSteps = 4; // interpreter, version, one rank, two

using adapters::EngineOffer;
using adapters::EngineState;

/// Those that are only read are no systems of a site; a table that cannot be read may be one.
bool isShown(const EngineOffer& offer)
{
    return !offer.adapter || !offer.adapter->engine.command.empty();
}

/// From the conductor's threads to the card, which may be gone by then.
template <class Take> auto handingTo(SystemsCard* card, Take take)
{
    return [card = QPointer<SystemsCard>(card), take](const auto& news) {
        const auto hand = [card, take, news] {
            if (card)
                take(news);
        };
        QMetaObject::invokeMethod(QCoreApplication::instance(), hand, Qt::QueuedConnection);
    };
}

} // namespace

SystemsCard::SystemsCard(const PageContext& context)
    : Card(tr("Systems"))
    , m_context(context)
    , m_systems(context.session)
    , m_progress(new QWidget)
    , m_state(new ElidedLabel(LabelKind::text))
    , m_bar(new QProgressBar)
    , m_stop(new QPushButton(tr("Cancel")))
    , m_report(makeParagraph(LabelKind::caption))
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(2, 1);
    for (const EngineOffer& offer : adapters::engineOffers(adapters::usersAdapters(), {}))
        if (isShown(offer))
            addRow(*grid, offer);
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(kBarWidth);
    m_bar->setAccessibleName(tr("Progress"));
    fillRow(m_progress, {{m_state, 1}, m_bar, m_stop}, space::kGap);
    m_report->setTextInteractionFlags(Qt::TextSelectableByMouse);
    addTo(*body(), {grid, m_progress, m_report});
    connect(m_stop, &QPushButton::clicked, this, [this] { stop(); });
    connect(&m_systems, &SiteSystems::changed, this, &SystemsCard::showAll);
    connect(&context.session.sites(), &SiteStates::knownForgotten, this, [this](const QString& site) {
        m_seen.erase(site);
        showAll();
    });
    showAll();
}

void SystemsCard::addRow(QGridLayout& grid, const EngineOffer& offer)
{
    const QString title = toQt(offer.title);
    const auto button = [&](const QString& text, const QString& name) {
        auto* each = link(new QPushButton(text));
        each->setAccessibleName(name);
        return each;
    };
    const Row row{new IconLabel(m_context.theme, QStringLiteral("circle"), Ink::disabled, 16),
                  new ElidedLabel(LabelKind::caption), button(tr("Install…"), tr("Install %1").arg(title)),
                  button(tr("Check"), tr("Check %1").arg(title)), button(tr("Remove…"), tr("Remove %1").arg(title))};
    const int line = grid.rowCount();
    auto* name = makeLabel(LabelKind::text, title);
    if (offer.adapter)
        name->setToolTip(plainToolTip(toQt(offer.adapter->about)));
    grid.setRowMinimumHeight(line, kRowHeight);
    grid.addWidget(row.icon, line, 0);
    grid.addWidget(name, line, 1);
    grid.addWidget(row.text, line, 2);
    grid.addLayout(makeRow({stretch(), row.install, row.check, row.remove}), line, 3);
    connect(row.install, &QPushButton::clicked, this, [this, name = offer.name] { askToInstall(name); });
    connect(row.check, &QPushButton::clicked, this, [this, name = offer.name] { check(name); });
    connect(row.remove, &QPushButton::clicked, this, [this, name = offer.name, title] {
        askUser(this, m_context.theme,
                {.title = tr("Remove %1 from %2?").arg(title, siteInSentence(toUtf8(m_site))),
                 .text = tr("Runs keep their samples. It can be installed again."),
                 .icon = QStringLiteral("trash"),
                 .answers = {{tr("Remove it"), [this, name] { remove(name); }, true}},
                 .harmless = tr("Keep it")});
    });
    m_rows.emplace(offer.name, row);
}

const adapters::Adapter* SystemsCard::adapterOf(const std::string& name) const
{
    return adapters::usersAdapters().find(name);
}

void SystemsCard::showSite(const QString& site, bool isUsable)
{
    m_site = site;
    m_systems.follow(isUsable ? site : QString());
    showAll();
}

void SystemsCard::removed(const QString& site, const std::vector<wire::Item>& items, const wire::DeleteReply& reply)
{
    const auto stayed = [&](const std::string& engine) {
        return std::ranges::any_of(
            reply.refused, [&](const wire::Refusal& refusal) { return fs::path(refusal.path).filename() == engine; });
    };
    for (const wire::Item& item : items)
        if (item.kind == wire::ItemKind::engine && !stayed(item.name))
            m_systems.remove(site, item.name);
    showAll();
}

void SystemsCard::showAll()
{
    const InstalledEngines* known = m_systems.find(m_site);
    const bool mayAct = m_systems.isReachable() && known && !m_work.contains(m_site);
    int installed = 0;
    for (const EngineOffer& offer :
         adapters::engineOffers(adapters::usersAdapters(), known ? *known : InstalledEngines{})) {
        const auto row = m_rows.find(offer.name);
        if (row == m_rows.end())
            continue;
        showOffer(row->second, offer, mayAct);
        installed += offer.state == EngineState::ready;
    }
    setCaption(known                      ? tr("%1 of %2 installed").arg(installed).arg(m_rows.size())
               : !m_systems.isReachable() ? tr("connect to see what is installed")
               : m_systems.mayAsk()       ? QString()
                                          : tr("a window that only reads does not ask what is installed"));
    showWork();
}

void SystemsCard::showOffer(const Row& row, const EngineOffer& offer, bool mayAct)
{
    const bool isReady = offer.state == EngineState::ready, isBroken = !offer.adapter;
    row.icon->setIcon(isReady    ? QStringLiteral("tick")
                      : isBroken ? QStringLiteral("warning")
                                 : QStringLiteral("circle"),
                      isReady    ? Ink::done
                      : isBroken ? Ink::warning
                                 : Ink::disabled);
    const InstalledEngines* installed = m_systems.find(m_site);
    const bool isKnown = installed || isReady || offer.state == EngineState::missing;
    row.icon->setAccessibleName(isReady ? tr("installed") : isKnown ? tr("not installed") : tr("not known"));
    row.text->setFullText(offer.reason.empty() ? toQt(offer.version) : isKnown ? toQt(offer.reason) : QString());
    row.install->setVisible(!isReady);
    row.install->setEnabled(mayAct && offer.state == EngineState::installable);
    row.check->setVisible(isReady);
    const auto isCheck = [](const auto& entry) { return entry.second.kind == Work::Kind::check; };
    row.check->setEnabled(mayAct && std::ranges::none_of(m_work, isCheck)); // wherever: one after the other
    row.remove->setVisible(isReady && installed && installed->contains(offer.name));
    row.remove->setEnabled(mayAct);
}

void SystemsCard::showWork()
{
    const auto found = m_work.find(m_site);
    m_progress->setVisible(found != m_work.end());
    if (found != m_work.end()) {
        const Work& work = found->second;
        m_state->setFullText(work.isStopping ? tr("Stopping…") : work.text);
        m_bar->setVisible(work.kind != Work::Kind::remove);
        m_bar->setValue(work.percent);
        m_stop->setVisible(work.kind != Work::Kind::remove);
        m_stop->setEnabled(!work.isStopping);
    }
    m_report->setText(m_seen[m_site]);
    m_report->setVisible(!m_report->text().isEmpty());
}

void SystemsCard::begin(Work::Kind kind, const std::string& name, const QString& text)
{
    const bool hadFocus = isAncestorOf(QApplication::focusWidget());
    m_work[m_site] = Work{kind, toQt(adapterOf(name)->title), name, text};
    m_seen.erase(m_site);
    showAll();
    if (hadFocus)
        m_stop->setFocus(); // what was pressed can be pressed no more for now
}

void SystemsCard::ended(const QString& site, const std::optional<Error>& error)
{
    const auto work = m_work.extract(site);
    const bool hadFocus = m_stop->hasFocus();
    if (site == m_site)
        m_systems.ask();
    else
        m_systems.forget(site); // asked for when it is shown
    showAll();
    if (hadFocus && site == m_site && work)
        for (QPushButton* button : {m_rows.at(work.mapped().name).check, m_rows.at(work.mapped().name).install})
            if (button->isVisible())
                button->setFocus();
    if (error && error->code != ErrorCode::cancelled)
        Q_EMIT failed(*error);
}

void SystemsCard::askToInstall(const std::string& name)
{
    const auto* adapter = adapterOf(name);
    if (!adapter || !adapter->installation)
        return;
    askInstallation(this, m_context.theme, {*adapter, siteInSentence(toUtf8(m_site))},
                    [this, name, site = m_site](const InstallSource& source) {
                        if (site == m_site && !m_work.contains(site))
                            install(name, source);
                    });
}

void SystemsCard::install(const std::string& name, const InstallSource& source)
{
    const auto installation = adapters::installationOf(adapters::usersAdapters(), name);
    if (!installation)
        return Q_EMIT failed(installation.error());
    if (!*installation)
        return;
    wire::EngineRequest request;
    request.name = name;
    request.installation = installationToJson(**installation);
    request.python = source.python;
    request.wheels = source.wheels;
    request.modules = source.modules;
    const QString site = m_site;
    begin(Work::Kind::install, name, tr("Installing %1").arg(toQt(adapterOf(name)->title)));
    const OnEngineProgress progress =
        handingTo(this, [this, site](const wire::BuildProgress& news) { progressed(site, news); });
    m_context.session.request<InstalledEngine>(this, calling(&Conductor::askEngine, toUtf8(site), request, progress),
                                               [this, site](const Result<InstalledEngine>& installed) {
                                                   ended(site, installed ? std::optional<Error>() : installed.error());
                                               });
}

void SystemsCard::progressed(const QString& site, const wire::BuildProgress& progress)
{
    const auto found = m_work.find(site);
    if (found == m_work.end())
        return;
    found->second.text = toQt(progress.text);
    found->second.percent = progress.percent;
    showWork();
}

void SystemsCard::check(const std::string& name)
{
    const auto installation = adapters::installationOf(adapters::usersAdapters(), name);
    if (!installation)
        return Q_EMIT failed(installation.error());
    const QString site = m_site;
    begin(Work::Kind::check, name,
          tr("Checking %1: ten iterations on one rank and on two").arg(toQt(adapterOf(name)->title)));
    Session& session = m_context.session;
    EngineCheck order{{}, toUtf8(site), name, *installation, {}};
    order.programs.agent = session.programs().agent;
    order.programs.worker = session.programs().worker;
    order.programs.interaction = &session.questions();
    order.onStep = handingTo(this, [this, site](const EngineCheckStep& step) { checked(site, step); });
    runLatest(
        session.checks(), m_job, &session, [order](const std::stop_token& stop) { return checkEngine(order, stop); },
        [this, site](const Result<bool>& well) { ended(site, well ? std::optional<Error>() : well.error()); });
}

void SystemsCard::checked(const QString& site, const EngineCheckStep& step)
{
    if (const auto work = m_work.find(site); work != m_work.end())
        work->second.percent += 100 / kCheckSteps;
    QString& seen = m_seen[site];
    seen +=
        (seen.isEmpty() ? QString() : QStringLiteral("\n")) +
        tr("%1 %2: %3").arg(step.isWell ? QStringLiteral("✓") : QStringLiteral("✗"), toQt(step.title), toQt(step.text));
    showWork();
}

void SystemsCard::remove(const std::string& name)
{
    const QString site = m_site;
    begin(Work::Kind::remove, name, tr("Removing %1").arg(toQt(adapterOf(name)->title)));
    const std::vector<wire::Item> items{{wire::ItemKind::engine, name}};
    m_context.session.request<wire::DeleteReply>(
        this, calling(&Conductor::removeInstalled, toUtf8(site), items),
        [this, site](const Result<wire::DeleteReply>& reply) {
            if (!reply)
                return ended(site, reply.error());
            ended(site, reply->refused.empty()
                            ? std::optional<Error>()
                            : Error{ErrorCode::busy, toUtf8(reasonText(reply->refused.front().reason)), {}});
        });
}

/// An installation is ordered to end on its site, and ends by its own answer; a check is not waited for.
void SystemsCard::stop()
{
    const auto found = m_work.find(m_site);
    if (found == m_work.end())
        return;
    found->second.isStopping = true;
    if (found->second.kind == Work::Kind::check) {
        m_job.cancel();
        return ended(QString(m_site), std::nullopt);
    }
    wire::EngineRequest request;
    request.name = found->second.name;
    request.action = wire::EngineAction::cancel;
    m_context.session.request<InstalledEngine>(
        this, calling(&Conductor::askEngine, toUtf8(m_site), request, OnEngineProgress()));
    showWork();
}

} // namespace ringside
