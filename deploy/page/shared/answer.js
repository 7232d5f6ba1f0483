// The sentence that tells the gateway's answer to a command.

/**
 * The gateway's own sentence is English and says more.
 * @param {{ code: string, message: string }} error
 * @param {Texts.Page} T
 * @param {string} language  As "de".
 */
export function reason({ code, message }, T, language) {
  return language === 'en' ? message : (T.refusals[code] ?? message);
}

/**
 * @param {{ status: string, error?: ?{ code: string, message: string } }} answer  The last one to a command.
 * @param {string} what      Names the control.
 * @param {Texts.Page} T
 * @param {string} language  As "de".
 */
export function sentence({ status, error }, what, T, language) {
  // The command has its effect, and only a restart may lose it.
  if (error?.code === 'not_stored') return `${T.done(what)} – ${reason(error, T, language)}`;
  if (error) return T.refused(reason(error, T, language));
  return status === 'timed_out' ? T.timedOut : T.done(what);
}
