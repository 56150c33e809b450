//! A server on loopback for one test.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server that passes each request to a closure and writes its return value. `None` keeps the connection open without
/// a response.
pub(crate) struct FakeHttpServer {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl FakeHttpServer {
    pub(crate) fn start(answer: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = read_request(&mut stream);
                kept.lock().unwrap().push(request.clone());
                match answer(&request) {
                    // The client may have closed the connection.
                    Some(response) => drop(stream.write_all(response.as_bytes())),
                    None => silent.push(stream),
                }
            }
        });
        Self { address, requests: seen }
    }

    pub(crate) fn with_response(status: &'static str, headers: &'static str, body: &'static str) -> Self {
        Self::start(move |_| Some(response_text(status, headers, body)))
    }

    pub(crate) fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.address.port())
    }

    pub(crate) fn received_requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0_u8; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        let count = stream.read(&mut buffer).unwrap();
        if count == 0 {
            return text;
        }
        bytes.extend_from_slice(buffer.get(..count).unwrap());
    }
}

pub(crate) fn response_text(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}
