// The answer that a first visit offers before a person has chosen one. It reads nothing but its arguments.

/**
 * The reader's language: whoever reads the questions in it hardly wants events and speech in another.
 * @param {{name: string, present: string, fixed: boolean, choices: {value: string, title: string}[]}} question
 * @param {string} language  The reader's.
 * @param {boolean} isFirst  Nobody has configured the gateway yet.
 * @returns {?{value: string, title: string}}  Null where the present answer is the best.
 */
export function suggested(question, language, isFirst) {
  if (question.name !== 'language' || !isFirst || question.fixed || question.present === language)
    return null;
  return question.choices.find(one => one.value === language) ?? null;
}
