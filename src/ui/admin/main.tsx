/** The Admin UI in the browser (docs/interface/admin-ui.md). */
import { createRoot } from 'react-dom/client';
import '../common/style.css';
import './frame/frame.css';
import './parts/parts.css';
import { App } from './app.js';

const place = document.getElementById('app');
if (place !== null) createRoot(place).render(<App />);
