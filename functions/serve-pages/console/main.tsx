import { render } from 'preact';
import './style.css';
import './alerts/alerts.css';
import './channels/channels.css';
import './lists/lists.css';
import './palette/palette.css';
import './rule/rule.css';
import { registerServiceWorker } from './interface/service-worker.ts';
import { Console } from './shell/console.tsx';

const root = document.getElementById('console');
if (root !== null) render(<Console />, root);
registerServiceWorker();
