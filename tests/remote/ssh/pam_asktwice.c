/* SPDX-License-Identifier: MIT
 * A PAM module as second factors are: greets, asks for a password without echo and for a code with echo.
 * Arguments: [password=…] [code=…] [say=…: said after the password, as with a push] [press=1: then an empty prompt, whose
 * answer does not matter]. */
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <stdlib.h>
#include <string.h>

static const char* argument(int argc, const char** argv, const char* name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < argc; ++i)
        if (strncmp(argv[i], name, length) == 0)
            return argv[i] + length;
    return NULL;
}

/* 1 if the answer to the prompt is the expected one. */
static int asks(pam_handle_t* pam, int style, const char* prompt, const char* expected)
{
    char* answer = NULL;
    const int heard = pam_prompt(pam, style, &answer, "%s", prompt) == PAM_SUCCESS && answer;
    const int right = heard && strcmp(answer, expected) == 0;
    free(answer);
    return right;
}

int pam_sm_authenticate(pam_handle_t* pam, int flags, int argc, const char** argv)
{
    const char* password = argument(argc, argv, "password=");
    const char* code = argument(argc, argv, "code=");
    const char* say = argument(argc, argv, "say=");
    const char* press = argument(argc, argv, "press=");
    (void)flags;
    pam_prompt(pam, PAM_TEXT_INFO, NULL, "Alder cluster \033[31m<b>authorised</b> users only");
    if (password && !asks(pam, PAM_PROMPT_ECHO_OFF, "Password: ", password))
        return PAM_AUTH_ERR;
    if (say)
        pam_prompt(pam, PAM_TEXT_INFO, NULL, "%s", say);
    if (press) {
        char* ignored = NULL;
        pam_prompt(pam, PAM_PROMPT_ECHO_ON, &ignored, "%s", "");
        free(ignored);
    }
    if (code && !asks(pam, PAM_PROMPT_ECHO_ON, "One-time code: ", code))
        return PAM_AUTH_ERR;
    return PAM_SUCCESS;
}

int pam_sm_setcred(pam_handle_t* pam, int flags, int argc, const char** argv)
{
    (void)pam;
    (void)flags;
    (void)argc;
    (void)argv;
    return PAM_SUCCESS;
}
