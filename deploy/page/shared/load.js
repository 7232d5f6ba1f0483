// Loads what is not needed for the first numbers.

/**
 * Loads a script of the gateway. Rejects if it is missing.
 * @param {string} src
 * @returns {Promise<void>}
 */
export function loadScript(src) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = src;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${src} is missing`));
    document.head.append(script);
  });
}

/**
 * Loads a style sheet before the page's own, which change some of it.
 * @param {string} href
 */
export function loadStyle(href) {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  document.head.querySelector('link[rel=stylesheet]')?.before(link);
}

/**
 * Loads a style sheet of the page.
 * @param {string} href
 */
export function loadOwnStyle(href) {
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }));
}
