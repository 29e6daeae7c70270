// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/previewtabs.h"

#include "app/pages/editor/tomltab.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/checkslist.h"
#include "app/widgets/columnscroll.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/tables.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <algorithm>

namespace ringside {

PreviewTabs::PreviewTabs(const ThemeController& theme)
    : m_tabs(new QTabBar)
    , m_pages(new QStackedWidget)
    , m_note(makeParagraph(LabelKind::caption))
    , m_script(makeCodeEdit(tr("Job script"), font()))
    , m_toml(new TomlTab(theme))
    , m_checks(new ChecksList(theme, 200))
{
    body()->setContentsMargins(2, 4, 2, 2);
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(tr("Preview of the experiment"));
    body()->addWidget(m_tabs);
    const auto add = [this](const QString& title, QWidget* page) {
        m_tabs->addTab(title);
        m_pages->addWidget(page);
    };
    add(tr("Matrix"), makeMatrix(theme));
    add(tr("Job script"), makeScript());
    add(tr("TOML"), m_toml);
    auto* checks = new QWidget;
    fillColumn(checks, {{m_checks, 1}}, kUsualSpacing, {14, 10, 14, 10});
    add(tr("Checks"), scrolled(checks));
    body()->addWidget(m_pages, 1);
    connect(m_tabs, &QTabBar::currentChanged, m_pages, &QStackedWidget::setCurrentIndex);
    connect(&m_model, &MatrixModel::tickedChanged, this, &PreviewTabs::tickedChanged);
    connect(m_checks, &ChecksList::fieldAsked, this, &PreviewTabs::fieldAsked);
    connect(m_toml, &TomlTab::edited, this, &PreviewTabs::tomlEdited);
    connect(m_toml, &TomlTab::discardAsked, this, &PreviewTabs::tomlDiscarded);
}

QWidget* PreviewTabs::makeMatrix(const ThemeController& theme)
{
    auto* table = new QTableView;
    setUpTable(*table, theme, 28);
    table->setModel(&m_model);
    table->setAccessibleName(tr("Matrix of configurations"));
    table->setMinimumHeight(88);
    table->viewport()->installEventFilter(this);
    connect(&m_model, &QAbstractItemModel::modelReset, this, &PreviewTabs::fitMatrix);
    connect(&m_model, &QAbstractItemModel::dataChanged, this, &PreviewTabs::fitMatrix);
    m_matrix = table;
    auto* page = new QWidget;
    m_note->setContentsMargins(12, 0, 12, 8);
    fillColumn(page, {{table, 1}, m_note});
    return page;
}

bool PreviewTabs::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        fitMatrix();
    return Card::eventFilter(watched, event);
}

/// With little room the time per run goes (the summary shows it for all); the rest is shared.
void PreviewTabs::fitMatrix()
{
    const int last = m_model.columnCount() - 1;
    QHeaderView& header = *m_matrix->horizontalHeader();
    m_matrix->setColumnHidden(last, false);
    fitColumns(*m_matrix);
    m_matrix->setColumnHidden(last, header.length() > m_matrix->viewport()->width());
    const int spare = std::max(0, m_matrix->viewport()->width() - header.length()) / header.count();
    for (int column = 0; column < header.count(); ++column)
        if (!header.isSectionHidden(column))
            header.resizeSection(column, header.sectionSize(column) + spare);
}

QWidget* PreviewTabs::makeScript()
{
    m_script->setReadOnly(true);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    auto* copy = new QPushButton(tr("Copy"));
    connect(m_script, &QPlainTextEdit::textChanged, copy,
            [this, copy] { copy->setEnabled(!m_script->document()->isEmpty()); });
    layout->addWidget(m_script, 1);
    layout->addWidget(copy, 0, Qt::AlignRight);
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_script->toPlainText()); });
    return page;
}

void PreviewTabs::show(const Evaluation& evaluation, const Draft& draft)
{
    m_model.setEvaluation(evaluation);
    m_script->setPlaceholderText(
        evaluation.missing.empty()
            ? tr("Nothing is missing: a launch would run nothing.")
            : tr("%1 is asked when you launch. The script is shown before anything is submitted.")
                  .arg(siteInSentence(evaluation.experiment.site)));
    replaceText(*m_script, toQt(evaluation.script));
    m_toml->follow(draft, toQt(evaluation.toml));
    m_checks->show(evaluation.checks);
    const int checks = int(evaluation.checks.size());
    m_tabs->setTabText(3, checks > 0 ? tr("Checks (%1)").arg(checks) : tr("Checks"));
    QStringList notes;
    for (const std::string& level : evaluation.notCounted)
        notes << tr("Not counting %1").arg(toQt(level));
    if (evaluation.matrix)
        for (const std::string& note : evaluation.matrix->notes)
            notes << toQt(note);
    m_note->setText(notes.join(QStringLiteral(" ")));
    m_note->setVisible(!notes.isEmpty());
}

void PreviewTabs::step(int by)
{
    m_tabs->setCurrentIndex((m_tabs->currentIndex() + by + m_tabs->count()) % m_tabs->count());
}

void PreviewTabs::showToml()
{
    m_tabs->setCurrentIndex(m_pages->indexOf(m_toml));
    m_toml->goToProblem();
}

QPlainTextEdit* PreviewTabs::editedText() const
{
    return m_toml->edit().hasFocus() ? &m_toml->edit() : nullptr;
}

} // namespace ringside
