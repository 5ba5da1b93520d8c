// SPDX-License-Identifier: Apache-2.0
// HttpClient, HttpURLConnection, and a channel that is registered before it is connected.
import java.net.*;
import java.net.http.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.file.*;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.*;

public class Net {
	public static void main(String[] args) throws Exception {
		String host = args[0];
		var store = KeyStore.getInstance(KeyStore.getDefaultType());
		store.load(null);
		try (var in = Files.newInputStream(Path.of(args[1]))) {
			store.setCertificateEntry("test", CertificateFactory.getInstance("X.509").generateCertificate(in));
		}
		var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(store);
		var tls = SSLContext.getInstance("TLS");
		tls.init(null, trust.getTrustManagers(), null);
		try {
			var client = HttpClient.newBuilder().sslContext(tls).build();
			var answer = client.send(HttpRequest.newBuilder(URI.create("https://" + host + "/java")).build(),
						 HttpResponse.BodyHandlers.ofString());
			System.out.print("client " + answer.body());
			var old = new URL("http://" + host + "/old").openConnection();
			System.out.print("old " + new String(old.getInputStream().readAllBytes()));
			nio(host);
		} catch (java.io.IOException | UnresolvedAddressException why) {
			System.out.println("ERR " + why);
		}
	}

	static void nio(String host) throws Exception {
		var channel = SocketChannel.open();
		channel.configureBlocking(false);
		var selector = Selector.open();
		channel.register(selector, SelectionKey.OP_CONNECT);
		channel.connect(new InetSocketAddress(host, 7));
		selector.select(20000);
		if (!channel.finishConnect())
			throw new java.net.ConnectException("no event");
		channel.write(ByteBuffer.wrap("nio\n".getBytes()));
		channel.keyFor(selector).interestOps(SelectionKey.OP_READ);
		selector.selectedKeys().clear();
		selector.select(20000);
		var got = ByteBuffer.allocate(10);
		channel.read(got);
		System.out.println("nio OK " + got.position());
	}
}
