import { render } from "preact";
import { keepToken } from "./api.ts";
import { Page } from "./page.tsx";
import "./styles/theme.css";
import "./styles/page.css";
import "./styles/views.css";
import "./styles/graph.css";

keepToken();
render(<Page />, document.getElementById("app")!);
