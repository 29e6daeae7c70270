// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/sitespage.h"

#include "app/dialogs/confirmdialog.h"
#include "app/pages/sites/addbutton.h"
#include "app/pages/sites/buildlogdialog.h"
#include "app/pages/sites/calibrationcard.h"
#include "app/pages/sites/cleanupdialog.h"
#include "app/pages/sites/foundcard.h"
#include "app/pages/sites/newsites.h"
#include "app/pages/sites/sitedelegate.h"
#include "app/pages/sites/sitedialog.h"
#include "app/pages/sites/sitewords.h"
#include "app/pages/sites/stepscard.h"
#include "app/pages/sites/systemscard.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/shell/democard.h"
#include "app/shell/pageheader.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/card.h"
#include "app/widgets/columnscroll.h"
#include "app/widgets/corewords.h"
#include "app/widgets/elidedlabel.h"
#include "app/widgets/enterkey.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"
#include "core/base/clock.h"
#include "core/store/queries.h"

#include <QListView>
#include <tuple>

namespace ringside {

namespace {

constexpr int kListWidth = 232; // px at 100 % text

bool isMoved(const Site& site, const Site& before)
{
    return std::tie(site.host, site.user, site.port, site.sshConfig, site.root) !=
           std::tie(before.host, before.user, before.port, before.sshConfig, before.root);
}

} // namespace

SitesPage::SitesPage(const PageContext& context)
    : Page(context)
    , m_model(context.session.sites(),
              [&preferences = context.preferences](const QString& site) { return preferences.lastContact(site); })
    , m_add(new AddButton(context.theme))
    , m_new(new NewSites(context, this, m_model, m_files, [this](const auto& sites) { return addAll(sites); }))
    , m_list(new QListView)
    , m_name(new ElidedLabel(LabelKind::pageTitle))
    , m_description(new ElidedLabel(LabelKind::caption))
    , m_steps(new StepsCard(context.theme))
    , m_found(new FoundCard(action(ActionId::cleanSite)))
    , m_calibration(new CalibrationCard(context))
    , m_systems(new SystemsCard(context))
    , m_busy(context.session)
    , m_files("site files")
{
    setTitle(tr("Sites"));
    header().addWidget(m_add);
    header().addAction(action(ActionId::editSite));
    header().addAction(action(ActionId::disconnectSite));
    header().addAction(action(ActionId::testSite), true);
    auto* row = makeRow({listCard()}, space::kGap);
    auto* chosenSite = detail();
    row->addWidget(chosenSite, 1);
    setSidePanel(chosenSite);
    content()->addLayout(row, 1);
    bindActions();
    connect(&states(), &SiteStates::changed, this, [this](const QString& site) {
        if (site == chosen())
            showState();
    });
    refresh();
}

SiteStates& SitesPage::states() const
{
    return context().session.sites();
}

QWidget* SitesPage::listCard()
{
    auto* card = new Card;
    card->body()->setContentsMargins(4, 6, 4, 6);
    card->body()->addWidget(m_list);
    card->setFixedWidth(qRound(kListWidth * context().theme.textScale()));
    m_list->setModel(&m_model);
    m_list->setItemDelegate(new SiteDelegate(context().theme, m_list));
    m_list->setAccessibleName(tr("Sites"));
    m_list->setFrameShape(QFrame::NoFrame);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] { showChosen(); });
    connect(m_steps, &StepsCard::nodeAsked, this, [this] { askNode(); });
    connect(m_steps, &StepsCard::logAsked, this, [this] { showBuildLog(this, context().theme, states(), chosen()); });
    onEnter(*m_list, [this] { test(chosen()); });
    connect(m_calibration, &CalibrationCard::failed, this, [this](const Error& error) { showError(error); });
    connect(m_systems, &SystemsCard::failed, this, [this](const Error& error) { showError(error); });
    return card;
}

QWidget* SitesPage::detail()
{
    auto* widget = new QWidget;
    auto* head = makeColumn({m_name, m_description}, 2);
    fillColumn(widget, {head, m_steps, m_found, m_systems, m_calibration, stretch()}, space::kGap);
    return scrolled(widget);
}

void SitesPage::bindActions()
{
    bind(ActionId::addSite, [this] { m_new->describe(); });
    connect(m_add, &AddButton::hostNameAsked, m_new, &NewSites::describe);
    connect(m_add, &AddButton::configuredAsked, m_new, &NewSites::chooseConfigured);
    connect(m_add, &AddButton::demoAsked, this, &SitesPage::showDemo);
    connect(m_new, &NewSites::failed, this, &SitesPage::showError);
    connect(m_new, &NewSites::remarked, this, &SitesPage::showMessage);
    connect(m_new, &NewSites::demoClosed, this, &SitesPage::refresh);
    bind(ActionId::editSite, [this] { edit(); });
    bind(ActionId::removeSite, [this] { askRemove(); });
    bind(ActionId::testSite, [this] { m_testing.contains(chosen()) ? stopTest() : test(chosen()); });
    bind(ActionId::disconnectSite, [this] { disconnectSite(); });
    bind(ActionId::cleanSite, [this] { cleanUp(); });
}

void SitesPage::activate(const Target& target)
{
    if (!target.show.isEmpty())
        m_wanted = target.show;
    m_new->hideDemo(); // its button leads here
    refresh();
    m_list->setFocus();
}

void SitesPage::refresh()
{
    const auto read = [](const std::stop_token&) { return SiteBook::allOfUser(); };
    runLatest(m_files, m_job, this, read, [this](Result<std::vector<SiteBook::Entry>> sites) {
        if (sites)
            apply(std::move(*sites));
        else
            showError(sites.error());
    });
    m_busy.refresh();
}

Result<void> SitesPage::requireIdle(const std::string& site) const
{
    if (m_busy.contains(site) || m_calibration->isBeginning(toQt(site)))
        return tl::unexpected(busyError(site, m_busy.experimentsAt(site)));
    return {};
}

/// Runs may have begun since the user was asked: once more before they lose their site.
void SitesPage::whenIdle(const std::string& site, const std::function<void()>& act)
{
    m_busy.askNow([this, site, act](const Result<void>& asked) {
        const auto idle = asked.and_then([&] { return requireIdle(site); });
        idle ? act() : showError(idle.error());
    });
}

void SitesPage::apply(std::vector<SiteBook::Entry> sites)
{
    const QString wanted = m_wanted.isEmpty() ? chosen() : std::exchange(m_wanted, {});
    setTitle(tr("Sites"), tr("%n site(s)", nullptr, int(sites.size()) + 1));
    m_model.setSites(std::move(sites));
    m_list->setCurrentIndex(m_model.index(std::max(0, m_model.rowOf(wanted))));
    m_add->offerDemo(m_model.rowOf(QString::fromLatin1(kDemoSite)) >= 0 || !DemoCard::script().isEmpty());
    showChosen();
}

QString SitesPage::chosen() const
{
    const QModelIndex index = m_list->currentIndex();
    return index.isValid() ? m_model.nameAt(index.row()) : QString();
}

const SiteBook::Entry* SitesPage::chosenSite() const
{
    const QModelIndex index = m_list->currentIndex();
    return index.isValid() ? m_model.siteAt(index.row()) : nullptr;
}

void SitesPage::showChosen()
{
    const auto* site = chosenSite();
    m_name->setFullText(siteName(toUtf8(chosen())));
    m_description->setFullText(descriptionOf(site, m_model.rowCount() == 1));
    m_steps->setVisible(site && site->site);
    setActionEnabled(ActionId::editSite, site && site->site);
    setActionEnabled(ActionId::removeSite, site != nullptr);
    m_heard.reset();
    m_calibration->showSite(chosen(), !site || site->site);
    m_systems->showSite(chosen(), !site || site->site);
    askWhenHeard();
    showState();
}

/// Asks for the runs' latest report from a site that this window may not have reached yet.
void SitesPage::askWhenHeard()
{
    context().session.queries().ask(
        m_heardJob,
        [site = toUtf8(chosen())](const store::Database& db, std::stop_token) { return store::lastHeard(db, site); },
        [this](const Result<std::optional<std::int64_t>>& heard) {
            m_heard = heard.value_or(std::nullopt);
            showState();
        });
}

/// Shows the state that changes while a site is chosen.
void SitesPage::showState()
{
    const auto* site = chosenSite();
    const auto contact = states().statusOf(chosen()).contact;
    const bool isUsable = site && site->site;
    m_steps->showSteps(states().stepsOf(chosen()), states().wasTested(chosen()), states().stepsAsOf(chosen()));
    m_steps->setHasLog(!states().buildLogOf(chosen()).isEmpty());
    showRefusal();
    m_found->showFacts(states().factsOf(chosen()), remarkOnFacts());
    showTestAction();
    setActionEnabled(ActionId::disconnectSite, isUsable && contact == SiteStatus::Contact::connected);
    const bool wasSeen = m_heard || !states().factsOf(chosen()).empty();
    setActionEnabled(ActionId::cleanSite, isUsable && wasSeen && !m_listing.contains(chosen()),
                     isUsable && !wasSeen ? tr("Nothing is known of it before the first contact.") : QString());
}

/// The button that starts a test stops it.
void SitesPage::showTestAction()
{
    const auto* site = chosenSite();
    QString text;
    if (m_stopping.contains(chosen()))
        text = tr("Stopping…");
    else if (m_testing.contains(chosen()))
        text = tr("Stop &test");
    else if (states().statusOf(chosen()).contact == SiteStatus::Contact::needsPerson)
        text = tr("Sign in…");
    setActionText(ActionId::testSite, text);
    setActionEnabled(ActionId::testSite, site && site->site && !m_stopping.contains(chosen()));
}

QString SitesPage::remarkOnFacts() const
{
    if (const std::int64_t asOf = states().factsAsOf(chosen()); asOf > 0)
        return tr("as of %1").arg(Numbers::moment(asOf));
    if (!states().factsOf(chosen()).empty())
        return {};
    if (!chosenSite())
        return tr("it is looked at when the next run starts here");
    if (!m_heard)
        return tr("nothing is known before the first contact");
    return tr("last reached %1; what it is comes with the next contact").arg(Numbers::relativeTime(*m_heard, wallNs()));
}

/// Shown for every failed attempt, as long as the refusal holds: there is nothing to sign in to.
void SitesPage::showRefusal()
{
    const SiteStatus status = states().statusOf(chosen());
    const bool isRefused = status.contact == SiteStatus::Contact::refused;
    const QString before = std::exchange(m_refused, isRefused ? chosen() : QString());
    if (isRefused && before != chosen())
        showMessage({Severity::error, toQt(status.text)});
    else if (!isRefused && !before.isEmpty())
        clearMessage();
}

void SitesPage::change(const std::function<Result<void>(const SiteBook&)>& work, const std::function<void()>& then,
                       const std::function<void()>& otherwise)
{
    const auto write = [work]() -> Result<void> {
        TRY_ASSIGN(const SiteBook book, SiteBook::ofUser());
        return work(book);
    };
    runAlways(m_files, this, write, [this, then, otherwise](const Result<void>& done) {
        if (!done)
            showError(done.error());
        if (const auto& next = done ? then : otherwise)
            next();
        refresh();
    });
}

/// Its line ends, and another site of its name starts without what this one has shown.
void SitesPage::forget(const QString& name)
{
    states().forget(name);
    context().preferences.forgetLastContact(name);
    context().session.request(&states(), calling(&Conductor::disconnectSite, toUtf8(name)),
                              [&known = states(), name](const Result<void>&) { known.lineEnded(name); });
}

Result<void> SitesPage::check(const Site& site, const Site& before) const
{
    TRY(checkSite(site));
    if (m_testing.contains(toQt(before.name)))
        return tl::unexpected(testingError(before.name));
    if (site.name != before.name)
        TRY(requireIdle(before.name));
    if (site.name == before.name || m_model.rowOf(toQt(site.name)) < 0)
        return {};
    return fail(ErrorCode::exists, toUtf8(tr("There is a site “%1” already.").arg(toQt(site.name))),
                toUtf8(tr("Choose another name.")));
}

/// All of them or none.
Result<void> SitesPage::addAll(const std::vector<Site>& sites)
{
    for (const Site& site : sites)
        TRY(check(site, {}));
    m_wanted = toQt(sites.front().name);
    const auto describeAgain = [this, site = sites.front()] {
        describeSite(this, context().theme, site, {}, [this](const Site& again) { return addAll({again}); });
    };
    change(
        [sites](const SiteBook& book) -> Result<void> {
            for (const Site& site : sites)
                TRY(book.save(site));
            return {};
        },
        [this] { dropMessage(kNoHostsTopic); }, sites.size() == 1 ? describeAgain : std::function<void()>());
    return {};
}

/// Chooses the demo if it is a site already.
void SitesPage::showDemo()
{
    const int row = m_model.rowOf(QString::fromLatin1(kDemoSite));
    if (row < 0)
        return m_new->showDemo();
    m_list->setCurrentIndex(m_model.index(row));
    m_list->setFocus();
}

void SitesPage::edit()
{
    const auto* entry = chosenSite();
    if (!entry || !entry->site)
        return;
    describe(*entry->site, *entry->site);
}

/// `shown` is the site as it has been described; one that could not be written is not lost with its dialog.
void SitesPage::describe(const Site& shown, const Site& there)
{
    describeSite(this, context().theme, shown, {}, [this, there](const Site& site) {
        return check(site, there).map([&] {
            m_wanted = toQt(site.name);
            if (site.name != there.name)
                whenIdle(there.name, [this, there, site] { replace(there, site); });
            else if (isMoved(site, there))
                move(there, site);
            else
                replace(there, site);
        });
    });
}

/// A login node may get another name while its runs go on: only a person knows whether they are found there.
void SitesPage::move(const Site& before, const Site& site)
{
    m_busy.askNow([this, before, site](const Result<void>& asked) {
        if (!asked || !m_busy.contains(before.name))
            return asked ? replace(before, site) : showError(asked.error());
        Question question = moveQuestion(site, m_busy.experimentsAt(before.name));
        question.answers = {{tr("Change it again"), [this, before, site] { describe(site, before); }},
                            {tr("It is the same place"), [this, before, site] { replace(before, site); }}};
        askUser(this, context().theme, question);
    });
}

void SitesPage::replace(const Site& before, const Site& site)
{
    const bool renamed = site.name != before.name;
    const bool moved = std::tie(site.host, site.user, site.port) != std::tie(before.host, before.user, before.port);
    change(
        [site, before = before.name](const SiteBook& book) -> Result<void> {
            if (site.name != before)
                TRY(book.rename(before, site.name));
            return book.save(site);
        },
        [this, before = toQt(before.name), renamed, moved] {
            if (renamed)
                forget(before);
            else if (moved)
                states().forgetKnown(before);
        },
        [this, before, site] { describe(site, before); });
}

void SitesPage::askRemove()
{
    const QString name = chosen();
    if (const auto idle = requireIdle(toUtf8(name)); !idle)
        return showError(idle.error());
    if (m_testing.contains(name))
        return showError(testingError(toUtf8(name)));
    askUser(
        this, context().theme,
        {.title = tr("Forget %1?").arg(name),
         .text = tr("Its runs stay in the database, and what Ringside has put there stays there."),
         .icon = QStringLiteral("trash"),
         .answers = {{tr("Forget it"), [this, name] { whenIdle(toUtf8(name), [this, name] { remove(name); }); }, true}},
         .harmless = tr("Keep it")});
}

void SitesPage::remove(const QString& name)
{
    change([name](const SiteBook& book) { return book.remove(toUtf8(name)); }, [this, name] { forget(name); });
}

void SitesPage::test(const QString& name, bool computeNode)
{
    const int row = m_model.rowOf(name);
    if (row < 0 || !m_model.siteAt(row) || m_testing.contains(name))
        return;
    m_testing.insert(name);
    clearMessage();
    states().beginTest(name);
    context().session.request(this, calling(&Conductor::prepareSite, toUtf8(name), computeNode),
                              [this, name](const Result<void>& done) { testEnded(name, done); });
}

void SitesPage::testEnded(const QString& name, const Result<void>& done)
{
    m_testing.remove(name);
    m_stopping.remove(name);
    states().endTest(name);
    showState();
    const bool wantsNode = m_nodeWanted.remove(name);
    if (done && wantsNode)
        test(name, true);
    else if (!done && done.error().code != ErrorCode::cancelled)
        showError(done.error());
}

void SitesPage::stopTest()
{
    const QString name = chosen();
    m_stopping.insert(name);
    m_nodeWanted.remove(name);
    showTestAction();
    context().session.request(this, calling(&Conductor::stopTest, toUtf8(name)));
}

/// A test that is under way, such as a worker's build of many minutes, is not begun again for it.
void SitesPage::askNode()
{
    if (!m_testing.contains(chosen()))
        return test(chosen(), true);
    m_nodeWanted.insert(chosen());
    showMessage({Severity::info, tr("A node of %1 is asked once the test under way has ended.").arg(chosen())});
}

void SitesPage::disconnectSite()
{
    context().session.request(this, calling(&Conductor::disconnectSite, toUtf8(chosen())),
                              [this](const Result<void>& done) {
                                  if (!done)
                                      showError(done.error());
                              });
}

void SitesPage::cleanUp()
{
    const QString name = chosen();
    m_listing.insert(name);
    showState();
    using Items = std::vector<wire::InstalledItem>;
    const auto listed = [this, name](const Result<Items>& items) {
        m_listing.remove(name);
        showState();
        if (items)
            chooseWhatToRemove(this, context().theme, name, *items,
                               [this, name](const auto& chosen) { removeInstalled(name, chosen); });
        else if (items.error().code != ErrorCode::cancelled)
            showError(items.error());
    };
    context().session.request<Items>(this, calling(&Conductor::listInstalled, toUtf8(name)), listed);
}

void SitesPage::removeInstalled(const QString& name, const std::vector<wire::Item>& items)
{
    context().session.request<wire::DeleteReply>(this, calling(&Conductor::removeInstalled, toUtf8(name), items),
                                                 [this, name, items](const Result<wire::DeleteReply>& reply) {
                                                     if (!reply)
                                                         return showError(reply.error());
                                                     m_systems->removed(name, items, *reply);
                                                     showMessage(removalMessage(name, *reply));
                                                 });
}

} // namespace ringside
