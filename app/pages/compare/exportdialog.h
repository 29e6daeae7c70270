// SPDX-License-Identifier: GPL-3.0-or-later
// Export figure: preview at true proportion, size, files, caption, folder (UX.md 3.8). Overwrites nothing unasked;
// stays open on errors.
#pragma once

#include "app/figures/exportfiles.h"
#include "app/shell/shell.h"
#include "app/shell/workingdialog.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace ringside {

class MessageBar;
class PaperPreview;
class SegmentedControl;

class ExportDialog : public WorkingDialog
{
    Q_OBJECT
public:
    /// Deletes itself when closed.
    ExportDialog(const PageContext& context, ExportContent content, QWidget* parent = nullptr);

private:
    enum class Step
    {
        choosing, ///< what, how and where
        working,  ///< looks into the folder or writes, aside
        asking    ///< whether to replace files that exist: two answers replace Export
    };

    QWidget* makePreviewSide();
    QWidget* makeOptionsSide();
    QWidget* makeButtons();
    QPushButton* addAnswer(QHBoxLayout& row, const QString& text, bool replace);
    void addSize(class QVBoxLayout& layout);
    void addFiles(QVBoxLayout& layout);
    void addFolder(QVBoxLayout& layout);
    void takeUpOptions();
    void keepOptions() const;

    figures::PaperOptions paper() const;
    ExportRequest request() const;
    bool canExport() const;
    void refresh();
    void chooseFolder();
    void setStep(Step step);
    void withdrawQuestion();
    void start();
    void ask(const std::vector<std::string>& existing);
    void write(bool replace);
    void finish(const ExportOutcome& outcome);
    void showFailure(const ExportOutcome& outcome);
    void copyImage();

    const PageContext& m_context;
    ExportContent m_content;
    std::vector<std::pair<ExportFile, QCheckBox*>> m_files;
    PaperPreview* m_preview;
    SegmentedControl* m_columns;
    QDoubleSpinBox* m_width;
    QDoubleSpinBox* m_height;
    QDoubleSpinBox* m_text;
    QComboBox* m_fonts;
    QPlainTextEdit* m_caption;
    QLineEdit* m_folder;
    QLabel* m_size;
    MessageBar* m_message;
    QPushButton* m_replace = nullptr;
    QPushButton* m_newNames = nullptr;
    QPushButton* m_export = nullptr;
    Step m_step = Step::choosing;
    ExportRequest m_wanted; ///< as it was when Export was pressed
};

} // namespace ringside
