// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/cleanupdialog.h"

#include "app/dialogs/dialogparts.h"
#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"
#include "app/widgets/tables.h"

#include "core/sites/findings.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace ringside {

namespace {

class CleanUpDialog : public QuestionDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::CleanUpDialog)
public:
    using Remove = std::function<void(const std::vector<wire::Item>&)>;

    CleanUpDialog(QWidget* parent, const ThemeController& theme, const QString& site,
                  std::vector<wire::InstalledItem> installed, Remove remove)
        : QuestionDialog(parent, theme,
                         {tr("Clean up"), tr("Ringside's files on %1").arg(site), QStringLiteral("trash")})
        , m_installed(std::move(installed))
        , m_list(new QTreeWidget)
    {
        setUpList(*m_list, theme);
        setMinimumSize(760, 420);
        fillList();
        body()->addWidget(m_list, 1);
        body()->addWidget(makeParagraph(LabelKind::caption, tr("Samples that are not stored here stay in any case.")));
        auto* keep = addButton(tr("Keep everything"), QDialogButtonBox::RejectRole);
        m_delete = danger(addButton({}, QDialogButtonBox::ActionRole, [this, remove] { remove(chosen()), accept(); }));
        connect(m_list, &QTreeWidget::itemChanged, this, [this] { showCount(); });
        setStandard(keep);
        keep->setFocus();
        showCount();
    }

private:
    void fillList()
    {
        m_list->setAccessibleName(tr("Folders and files"));
        m_list->setHeaderLabels({tr("Folder"), tr("Size"), tr("Last used"), tr("Note")});
        for (const wire::InstalledItem& item : m_installed) {
            auto* row = new QTreeWidgetItem(m_list);
            row->setText(0, toQt(item.path));
            row->setText(1, Numbers::bytes(item.bytes));
            row->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
            row->setText(2, item.usedNs > 0 ? Numbers::exactTime(item.usedNs) : QString());
            row->setText(3, item.inUse ? reasonText(item.reason) : toQt(aboutOf(item)));
            row->setCheckState(0, item.inUse ? Qt::Unchecked : Qt::Checked);
            row->setDisabled(item.inUse);
            for (const int column : {0, 3})
                row->setToolTip(column, plainToolTip(row->text(column)));
        }
        for (const int column : {1, 2})
            m_list->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
        m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
        m_list->header()->setSectionResizeMode(3, QHeaderView::Stretch);
        m_list->header()->setStretchLastSection(false);
    }

    std::vector<wire::Item> chosen() const
    {
        std::vector<wire::Item> items;
        for (int row = 0; row < m_list->topLevelItemCount(); ++row)
            if (m_list->topLevelItem(row)->checkState(0) == Qt::Checked)
                items.push_back(m_installed[std::size_t(row)].item);
        return items;
    }

    void showCount()
    {
        std::uint64_t bytes = 0;
        int count = 0;
        for (int row = 0; row < m_list->topLevelItemCount(); ++row)
            if (m_list->topLevelItem(row)->checkState(0) == Qt::Checked) {
                bytes += m_installed[std::size_t(row)].bytes;
                ++count;
            }
        m_delete->setText(tr("Delete %n folder(s) (%1)", nullptr, count).arg(Numbers::bytes(bytes)));
        m_delete->setEnabled(count > 0);
    }

    std::vector<wire::InstalledItem> m_installed;
    QTreeWidget* m_list;
    QPushButton* m_delete = nullptr;
};

} // namespace

void chooseWhatToRemove(QWidget* parent, const ThemeController& theme, const QString& site,
                        const std::vector<wire::InstalledItem>& installed,
                        const std::function<void(const std::vector<wire::Item>&)>& remove)
{
    (new CleanUpDialog(parent, theme, site, installed, remove))->open();
}

} // namespace ringside
