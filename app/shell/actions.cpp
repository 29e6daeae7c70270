// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/actions.h"

#include "app/style/themecontroller.h"
#include "app/widgets/actionbutton.h"
#include "app/widgets/corewords.h"
#include "core/report/tableforms.h"

#include <algorithm>

namespace ringside {

ActionId copyTableAs(const report::TableForm& form)
{
    const auto forms = report::tableForms();
    const auto place = std::ranges::find(forms, form.name, &report::TableForm::name) - forms.begin();
    return ActionId(int(ActionId::copyTable) + int(place));
}

std::vector<ActionId> copyActions()
{
    std::vector<ActionId> ids{ActionId::copyFigure};
    for (const report::TableForm& form : report::tableForms())
        ids.push_back(copyTableAs(form));
    ids.push_back(ActionId::copyCaption);
    return ids;
}

Actions::Actions(const ThemeController& theme)
    : m_theme(theme)
{
    addFileAndEdit();
    addExperimentAndRun();
    addViewAndHelp();
    bindPage({});
}

void Actions::addFileAndEdit()
{
    add(ActionId::newExperiment, tr("&New experiment"), QKeySequence::New, QStringLiteral("plus"));
    add(ActionId::open, tr("&Open…"), QKeySequence::Open, QStringLiteral("folder"));
    add(ActionId::save, tr("&Save"), QKeySequence::Save, QStringLiteral("save"));
    add(ActionId::exportToml, tr("Export TO&ML…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S, QStringLiteral("file"));
    add(ActionId::importLogs, tr("&Import logs…"), Qt::CTRL | Qt::Key_I, QStringLiteral("table"));
    add(ActionId::exportFigure, tr("&Export figure…"), Qt::CTRL | Qt::Key_E, QStringLiteral("export"));
    add(ActionId::quit, tr("&Quit"), Qt::CTRL | Qt::Key_Q);
    add(ActionId::undo, tr("&Undo"), QKeySequence::Undo);
    add(ActionId::redo, tr("&Redo"), QKeySequence::Redo);
    add(ActionId::cut, tr("Cu&t"), QKeySequence::Cut);
    add(ActionId::copy, tr("&Copy"), QKeySequence::Copy);
    add(ActionId::paste, tr("&Paste"), QKeySequence::Paste);
    add(ActionId::find, tr("&Find"), QKeySequence::Find, QStringLiteral("search"));
    add(ActionId::settings, tr("&Settings"), Qt::CTRL | Qt::Key_Comma, QStringLiteral("sliders"));
}

void Actions::addExperimentAndRun()
{
    add(ActionId::editExperiment, tr("&Edit"), Qt::CTRL | Qt::Key_Return, QStringLiteral("edit"));
    add(ActionId::duplicate, tr("&Duplicate"), Qt::CTRL | Qt::Key_D, QStringLiteral("copy"));
    add(ActionId::tryOneRun, tr("&Try one run"));
    add(ActionId::launch, tr("Lau&nch…"), Qt::CTRL | Qt::SHIFT | Qt::Key_L, QStringLiteral("play"));
    add(ActionId::compareExperiment, tr("&Compare"), Qt::CTRL | Qt::SHIFT | Qt::Key_C, QStringLiteral("bars"));
    add(ActionId::star, tr("&Star"), {}, QStringLiteral("star"));
    add(ActionId::archive, tr("&Archive"), {}, QStringLiteral("archive"));
    add(ActionId::removeExperiment, tr("De&lete…"), QKeySequence::Delete, QStringLiteral("trash"));
    add(ActionId::hold, tr("&Hold after this run"), {}, QStringLiteral("pause"));
    add(ActionId::retryFailed, tr("&Retry failed"), Qt::CTRL | Qt::Key_R, QStringLiteral("cycle"));
    add(ActionId::cancel, tr("&Cancel…"), Qt::CTRL | Qt::Key_Delete, QStringLiteral("cross"));
    add(ActionId::openLog, tr("Open &log"), Qt::CTRL | Qt::Key_L, QStringLiteral("terminal"));
    add(ActionId::showInCompare, tr("&Show in Compare"), {}, QStringLiteral("bars"));
    add(ActionId::copyFigure, tr("Copy &figure as image"), {}, QStringLiteral("copy"));
    for (const report::TableForm& form : report::tableForms())
        add(copyTableAs(form), coreText(form.action), {}, QStringLiteral("copy"));
    add(ActionId::copyCaption, tr("Copy ca&ption"), {}, QStringLiteral("copy"));
    add(ActionId::copyRunId, tr("Copy run &id"), {}, QStringLiteral("copy"));
}

void Actions::addViewAndHelp()
{
    add(ActionId::goExperiments, tr("&Experiments"), Qt::CTRL | Qt::Key_1, QStringLiteral("flask"));
    add(ActionId::goMonitor, tr("&Monitor"), Qt::CTRL | Qt::Key_2, QStringLiteral("pulse"));
    add(ActionId::goCompare, tr("&Compare"), Qt::CTRL | Qt::Key_3, QStringLiteral("bars"));
    add(ActionId::goSites, tr("&Sites"), Qt::CTRL | Qt::Key_4, QStringLiteral("server"));
    add(ActionId::addSite, tr("&Add site…"), {}, QStringLiteral("plus"));
    add(ActionId::editSite, tr("&Edit site…"), Qt::Key_F2, QStringLiteral("sliders"));
    add(ActionId::removeSite, tr("&Forget site…"));
    add(ActionId::testSite, tr("&Test connection"), Qt::CTRL | Qt::Key_T, QStringLiteral("refresh"));
    add(ActionId::disconnectSite, tr("&Disconnect"), {}, QStringLiteral("cross"));
    add(ActionId::cleanSite, tr("&Clean up…"), {}, QStringLiteral("trash"));
    add(ActionId::previousRun, tr("&Previous run"), Qt::ALT | Qt::Key_Up);
    add(ActionId::nextRun, tr("&Next run"), Qt::ALT | Qt::Key_Down);
    add(ActionId::messages, tr("Messa&ges"), Qt::CTRL | Qt::Key_M, QStringLiteral("bell"));
    add(ActionId::fullScreen, tr("&Full screen"), Qt::Key_F11);
    add(ActionId::welcome, tr("&Welcome"));
    add(ActionId::runExample, tr("&Run the example"), {}, QStringLiteral("play"));
    add(ActionId::howMeasured, tr("&How Ringside measures"), Qt::Key_F1, QStringLiteral("book"));
    add(ActionId::shortcuts, tr("&Keyboard shortcuts"), Qt::CTRL | Qt::Key_Slash, QStringLiteral("keyboard"));
    add(ActionId::diagnostics, tr("&Diagnostics…"));
    add(ActionId::about, tr("&About Ringside"));
}

void Actions::add(ActionId id, const QString& text, const QKeySequence& keys, const QString& icon)
{
    auto* action = new QAction(text, this);
    action->setShortcut(keys);
    if (!icon.isEmpty()) {
        action->setIcon(m_theme.icon(icon));
        action->setProperty(kPrimaryIcon, m_theme.icon(icon, Ink::onHighlight));
        action->setProperty(kDangerIcon, m_theme.icon(icon, Ink::failed));
    }
    connect(action, &QAction::triggered, this, [this, id] { trigger(id); });
    m_actions[id] = {action, text, {}, true, {}};
    m_order.push_back(id);
}

void Actions::bindAlways(ActionId id, std::function<void()> run)
{
    m_actions.at(id).always = std::move(run);
    m_actions.at(id).action->setEnabled(true);
}

void Actions::setAlwaysEnabled(ActionId id, bool enabled)
{
    Entry& entry = m_actions.at(id);
    entry.alwaysEnabled = enabled;
    if (!entry.ofPage)
        entry.action->setEnabled(entry.always && enabled);
}

void Actions::bindPage(const ActionBindings& bindings)
{
    for (auto& [id, entry] : m_actions) {
        const auto found = bindings.find(id);
        const bool bound = found != bindings.end();
        entry.ofPage = bound ? found->second.run : nullptr;
        entry.action->setEnabled(bound ? found->second.enabled : entry.always && entry.alwaysEnabled);
        entry.action->setStatusTip(bound ? found->second.whyNot : QString());
        entry.action->setText(bound && !found->second.text.isEmpty() ? found->second.text : entry.text);
    }
}

void Actions::trigger(ActionId id)
{
    const auto& entry = m_actions.at(id);
    // A copy: what runs may change the page and with it the bindings.
    if (const auto run = entry.ofPage ? entry.ofPage : entry.always)
        run();
}

} // namespace ringside
