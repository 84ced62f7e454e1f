import { createFloorwatchApp } from './floorwatch-app.ts';

createFloorwatchApp();
