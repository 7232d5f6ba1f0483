// The panel of all data.
import { dialog, sheet } from '../shared/dom.js';
import { T } from '../shared/texts.js';
import { panelRows, table } from './rows.js';

let panel;
const isOpen = () => panel?.root.isConnected;

/** Opens the panel, or closes it. */
export function showPanel() {
  if (isOpen()) return dialog().close();
  panel = table(panelRows);
  panel.draw();
  sheet(T.panel, panel.root);
}

export function drawPanel() {
  if (isOpen()) panel.draw();
}
