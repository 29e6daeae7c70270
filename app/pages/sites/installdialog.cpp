// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/installdialog.h"

#include "app/dialogs/dialogparts.h"
#include "app/text/text.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "core/base/sequences.h"

#include <QCoreApplication>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

namespace {

class InstallDialog : public QuestionDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::InstallDialog)
public:
    using Install = std::function<void(const InstallSource&)>;

    InstallDialog(QWidget* parent, const ThemeController& theme, const InstallQuestion& question, Install install)
        : QuestionDialog(parent, theme,
                         {tr("Install a system"),
                          tr("Install %1 on %2?").arg(toQt(question.adapter.title), question.site),
                          QStringLiteral("layers")})
        , m_form(new QFormLayout)
    {
        const bool isThere = question.adapter.installation->takesWhatIsThere();
        body()->addWidget(makeParagraph(
            LabelKind::text,
            isThere ? tr("The site has to have it already: it is looked for there, and nothing is fetched.")
                    : tr("It gets an environment of its own below Ringside’s folder there; nothing "
                         "else is touched, and removing it leaves nothing behind.")));
        m_form->setHorizontalSpacing(16);
        m_form->setVerticalSpacing(8);
        describe(question.adapter);
        body()->addLayout(m_form);
        askForSource(isThere);
        addButton(tr("Do not install"), QDialogButtonBox::RejectRole);
        setStandard(addButton(tr("Install"), QDialogButtonBox::AcceptRole, [this, install = std::move(install)] {
            install({textOf(m_python), textOf(m_wheels), wordsOf(*m_modules)});
            accept();
        }));
    }

private:
    void askForSource(bool isThere)
    {
        if (!isThere)
            m_wheels = addField(tr("Folder of wheels"), tr("empty: from the package index"));
        m_python = addField(tr("Interpreter"), tr("empty: looked for"));
        m_modules = addField(tr("Modules"), tr("empty: none; for example Python/3.11 CUDA/12.4"));
        m_modules->setToolTip(tr("Loaded first, in this order. Without an interpreter their python3 is used."));
        if (isThere)
            return;
        body()->addWidget(
            makeParagraph(LabelKind::caption, tr("All are on the site. A machine without a network needs wheels; an "
                                                 "interpreter that already has the system is used as it is.")));
    }

    /// Empty where it was not asked for.
    static std::string textOf(const QLineEdit* field) { return field ? toUtf8(field->text().trimmed()) : ""; }

    static std::vector<std::string> wordsOf(const QLineEdit& field)
    {
        const QStringList words = field.text().simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
        return mapped<std::string>(words, toUtf8);
    }

    void describe(const adapters::Adapter& adapter)
    {
        const Installation& installation = *adapter.installation;
        const auto add = [this](const QString& name, const QString& text) {
            m_form->addRow(makeLabel(LabelKind::caption, name), makeParagraph(LabelKind::text, text));
        };
        if (!installation.takesWhatIsThere()) {
            add(tr("On disk"), Numbers::bytes(installation.bytes));
            add(tr("Takes about"), Numbers::duration(installation.seconds));
        }
        if (!adapter.licence.empty())
            add(tr("Licence"), toQt(adapter.licence));
        if (!installation.from.empty())
            add(tr("From"), toQt(installation.from));
    }

    QLineEdit* addField(const QString& name, const QString& placeholder)
    {
        auto* field = new QLineEdit;
        field->setPlaceholderText(placeholder);
        field->setAccessibleName(name);
        field->setMinimumWidth(320);
        auto* label = makeLabel(LabelKind::caption, name);
        label->setBuddy(field);
        m_form->addRow(label, field);
        return field;
    }

    QFormLayout* m_form;
    QLineEdit *m_wheels = nullptr, *m_python = nullptr, *m_modules = nullptr; ///< null: not asked for
};

} // namespace

void askInstallation(QWidget* parent, const ThemeController& theme, const InstallQuestion& question,
                     std::function<void(const InstallSource&)> install)
{
    (new InstallDialog(parent, theme, question, std::move(install)))->open();
}

} // namespace ringside
