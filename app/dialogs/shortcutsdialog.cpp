// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/dialogs.h"

#include "app/widgets/columnscroll.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QVBoxLayout>

namespace ringside {

namespace {

class ShortcutsDialog : public QDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::ShortcutsDialog)
public:
    explicit ShortcutsDialog(QMainWindow& window)
        : QDialog(&window)
        , m_grid(new QGridLayout)
    {
        setAttribute(Qt::WA_DeleteOnClose);
        setWindowTitle(tr("Keyboard shortcuts"));
        resize(560, 640);
        m_grid->setHorizontalSpacing(24);
        m_grid->setVerticalSpacing(space::kField);
        m_grid->setColumnStretch(0, 1);
        for (const auto* menu : window.menuBar()->actions())
            addMenu(*menu->menu());
        addHeading(tr("Anywhere"));
        add(tr("Next part of the window"), tr("F6"));
        add(tr("Close, clear or go back"), tr("Esc"));
        add(tr("Star the chosen experiment"), tr("Space"));
        add(tr("Open the most useful page of an experiment"), tr("Enter"));
        layOut();
    }

private:
    void addMenu(const QMenu& menu)
    {
        addHeading(QString(menu.title()).remove(QLatin1Char('&')));
        for (const auto* action : menu.actions())
            if (!action->shortcut().isEmpty())
                add(action->iconText(), action->shortcut().toString(QKeySequence::NativeText));
    }

    void addHeading(const QString& text)
    {
        const int row = m_grid->rowCount();
        m_grid->setRowMinimumHeight(row, 36);
        m_grid->addWidget(makeLabel(LabelKind::cardTitle, text), row, 0, 1, 2, Qt::AlignBottom);
    }

    void add(const QString& what, const QString& keys)
    {
        const int row = m_grid->rowCount();
        m_grid->addWidget(makeLabel(LabelKind::text, what), row, 0);
        m_grid->addWidget(makeLabel(LabelKind::caption, keys), row, 1, Qt::AlignRight);
    }

    void layOut()
    {
        auto* list = new QWidget;
        list->setLayout(m_grid);
        auto* scroll = scrolled(list);
        scroll->setFocusPolicy(Qt::StrongFocus); // the arrow keys move it
        auto* box = new QDialogButtonBox(QDialogButtonBox::Close);
        connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
        auto* layout = new QVBoxLayout(this);
        layout->addWidget(scroll, 1);
        layout->addWidget(box);
    }

    QGridLayout* m_grid;
};

} // namespace

void showShortcuts(QMainWindow& window)
{
    (new ShortcutsDialog(window))->open();
}

} // namespace ringside
